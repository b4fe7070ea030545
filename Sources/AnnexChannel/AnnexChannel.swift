// Rings, framing and calls come here.
