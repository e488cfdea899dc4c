/** A service whose value is created asynchronously in `setup`. */
export interface MadeInSetup<Value> {
  set(value: Value): void
  /** Throws a `TypeError` before `set`. */
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
