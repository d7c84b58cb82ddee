"""Papers, reproduced: their experiments run, their figures drawn, their numbers set beside ours."""
