"""What runs inside Linux in a process."""
