/** A service whose value is created asynchronously in `setup`. */
export interface SetupValue<Value> {
  set(value: Value): void
  /** Throws a `TypeError` before `set`. */
  get(): Value
}

/**
 * @example
 * services: { parts: () => setupValue<Parts>() },
 * async setup(ctx) { ctx.services.parts.set(createParts(ctx, await ctx.openDatabase('library'))) },
 * routes(app) { registerRoutes(app, app.playhead.services.parts.get()) },
 */
export function setupValue<Value>(): SetupValue<Value> {
  let stored: { readonly value: Value } | undefined
  return {
    set: (value) => {
      stored = { value }
    },
    get() {
      if (stored === undefined) throw new TypeError('It is used before setup() has set it.')
      return stored.value
    },
  }
}
