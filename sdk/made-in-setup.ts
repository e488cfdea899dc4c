/** A value that `setup` makes, with a wait in between, and routes and the hand-over use: the service for it. */
export interface MadeInSetup<Value> {
  set(value: Value): void
  /** Throws a `TypeError` before it is set. */
  get(): Value
}

/**
 * @example
 * services: { parts: () => madeInSetup<Parts>() },
 * async setup(ctx) { ctx.services.parts.set(createParts(ctx, await ctx.openDatabase('library'))) },
 * routes(app) { registerRoutes(app, app.playhead.services.parts.get()) },
 */
export function madeInSetup<Value>(): MadeInSetup<Value> {
  let made: { readonly value: Value } | undefined
  return {
    set: (value) => {
      made = { value }
    },
    get() {
      if (made === undefined) throw new TypeError('It is used before setup() made it.')
      return made.value
    },
  }
}
