// References to capabilities. The tokens are declared in plugin.json.

declare const SERVICE: unique symbol

/** A typed reference to a capability, for `ctx.use` and `ctx.provide`. */
export interface Capability<Service extends object = object> {
  /** As in `provides` and `requires` of plugin.json. */
  readonly token: string
  readonly [SERVICE]?: Service
}

/** A family of capabilities, one per plugin: `provider:MEDIAB`, `provider:TRACKA`. */
export interface CapabilityFamily<Service extends object = object> {
  readonly prefix: string
  of(name: string): Capability<Service>
}

/**
 * @param token as plugin.json has it
 *
 * @example
 * export const GREETING = capability<Greeting>('greeting:daily')
 * const text = await ctx.use(GREETING).text()
 */
export function capability<Service extends object>(token: string): Capability<Service> {
  return Object.freeze({ token })
}

/** @param prefix common prefix of the tokens, for example `exporter:` */
export function capabilityFamily<Service extends object>(prefix: string): CapabilityFamily<Service> {
  return Object.freeze({ prefix, of: (name: string) => capability<Service>(prefix + name) })
}

/** The token of a reference. Throws a `TypeError` for any other value. */
export function tokenOf(reference: Capability): string {
  const token = (reference as Partial<Capability> | undefined)?.token
  if (typeof token === 'string') return token
  throw new TypeError(`A capability is named by a reference, capability('…'), not by ${JSON.stringify(reference)}.`)
}

/** A late-bound capability: every function returns a promise and runs in the plugin that currently provides it. */
export type Remote<T> = {
  readonly [Key in keyof T]: T[Key] extends (...args: infer Args) => infer Result
    ? Result extends AsyncIterable<infer Item>
      ? (...args: Args) => AsyncIterable<Item>
      : (...args: Args) => Promise<Awaited<Result>>
    : T[Key]
}
