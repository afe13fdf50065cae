"""What breaks in the field, with the real components: other users, full disks, damaged and lost files."""
