// Marks a request whose body may exceed the server's time limit, because its reader has a limit of its own.
export const IS_LONG: unique symbol = Symbol.for('playhead.long-body')
