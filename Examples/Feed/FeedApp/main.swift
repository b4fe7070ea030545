// The app around the widget of Feed. The app itself has no task.
print("Feed shows headlines from feed.example.org in the Today view: annex today")
