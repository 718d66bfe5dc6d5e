"""The long runs behind ``scripts/soak``: each part a process of its own, all judged in one report."""
