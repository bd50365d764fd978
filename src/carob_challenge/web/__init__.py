"""What people see of a challenge: pages, forms, JSON, and a copy of the site in files."""
