"""The handlers of the nightly report: fetch orders, add them up, render, deliver.

Run with ``drayw --queue default --handlers examples.nightly_report``. Each handler may run twice for one job, so each
either writes under a key of its own or looks before it writes.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_EVEN, Decimal

from drayhorse import Context, Permanent, handler

CENT = Decimal("0.01")
LATE_AFTER = timedelta(hours=48)


@dataclass(frozen=True)
class Order:
    number: str
    customer: str
    amount: Decimal
    paid: bool
    shipped_late: bool


@handler("report.build", attempt_timeout="20m")
def build(ctx: Context) -> dict:
    """Build the report of one day; the day comes from the payload, never from the clock."""
    day = read_day(ctx.payload)
    orders = fetch_orders(ctx, day)
    if not orders:
        ctx.log.info("no orders", day=day.isoformat())
        return {"day": day.isoformat(), "rows": 0, "address": None}
    totals = total_by_customer(orders)
    body = render_csv(day, totals)
    address = ctx.storage.put(f"reports/{day.isoformat()}.csv", body, overwrite=True)
    ctx.enqueue("report.deliver", {"address": address}, key=f"deliver:{day.isoformat()}")
    return {"day": day.isoformat(), "rows": len(totals), "address": address}


def read_day(payload: dict) -> date:
    """The day of the report. A missing or malformed day never gets better by itself, hence ``Permanent``."""
    try:
        return date.fromisoformat(payload["day"])
    except (KeyError, ValueError) as error:
        raise Permanent(f"the payload has no valid day: {payload!r}") from error


def fetch_orders(ctx: Context, day: date) -> list[Order]:
    """All orders of a day, a page at a time; a page that fails is asked for again by the next attempt."""
    orders: list[Order] = []
    cursor = None
    while True:
        page = ctx.http.get("/orders", params={"day": day.isoformat(), "after": cursor, "limit": 500})
        orders.extend(parse_order(row) for row in page["rows"])
        ctx.progress(len(orders), page["total"])
        cursor = page["next"]
        if cursor is None:
            return orders


def parse_order(row: dict) -> Order:
    """Amounts come as strings and stay decimal: a float would lose a cent on the third thousand."""
    return Order(
        number=row["number"],
        customer=row["customer"],
        amount=Decimal(row["amount"]),
        paid=row["state"] == "paid",
        shipped_late=timedelta(seconds=row["shipping_seconds"]) > LATE_AFTER,
    )


def total_by_customer(orders: list[Order]) -> dict[str, Decimal]:
    """What each customer owes. Paid orders count as zero; an order shipped late gets five per cent off."""
    totals: dict[str, Decimal] = defaultdict(Decimal)
    for order in orders:
        if order.paid:
            totals[order.customer] += Decimal(0)
            continue
        amount = order.amount * (Decimal("0.95") if order.shipped_late else 1)
        totals[order.customer] += amount.quantize(CENT, rounding=ROUND_HALF_EVEN)
    return dict(totals)


def render_csv(day: date, totals: dict[str, Decimal]) -> bytes:
    """UTF-8 with a byte order mark, since the accountants open it in a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(["day", "customer", "open_amount"])
    for customer, amount in sorted(totals.items()):
        writer.writerow([day.isoformat(), customer, f"{amount:.2f}"])
    return b"\xef\xbb\xbf" + out.getvalue().encode("utf-8")


@handler("report.deliver")
def deliver(ctx: Context) -> None:
    """Mail the report once: the delivery is noted in the same transaction that claims it."""
    address = ctx.payload["address"]
    with ctx.database.transaction() as tx:
        claimed = tx.execute("insert into deliveries(address) values (%s) on conflict do nothing", [address])
        if claimed.rowcount == 0:
            ctx.log.info("already delivered", address=address)
            return
        ctx.mail.send(to="accounts@example.com", subject="Nightly report", link=address)
