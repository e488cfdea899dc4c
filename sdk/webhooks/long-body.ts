// Marks a request whose body may take longer than the server allows otherwise, because its reader has a limit of its own.
export const IS_LONG: unique symbol = Symbol.for('playhead.long-body')
