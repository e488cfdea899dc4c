// German.
export {}
