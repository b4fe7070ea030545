// The app around the widgets of News. It has no task of its own.
print("News shows its headlines in the Today view: annex today")
