// A plugin's own services: built once on first use, released last-in first-out.
import type { HostInputs, PluginContext } from '../context.ts'

type Factories = Readonly<Record<string, (inputs: never) => unknown>>

/** @param own registers what releases a service */
export function createServices(
  factories: Factories,
  inputs: HostInputs,
  ctx: () => PluginContext,
  own: (what: string, release: () => unknown) => void,
): Record<string, unknown> {
  const building: string[] = []
  const cradle = Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(inputs), ctx: { get: ctx, enumerable: true } },
  ) as Record<string, unknown>
  const services: Record<string, unknown> = {}

  for (const [name, factory] of Object.entries(factories)) {
    if (name === 'ctx' || name in inputs)
      throw new TypeError(`The service "${name}" has the name of something that the host provides; choose another.`)
    let built: { readonly service: unknown } | null = null
    const get = () => {
      if (built !== null) return built.service
      if (building.includes(name))
        throw new TypeError(`Services need each other in a circle: ${[...building, name].join(' → ')}.`)
      building.push(name)
      try {
        const service = factory(cradle as never)
        built = { service }
        const release = releaseOf(service)
        if (release !== null) own(`service ${name}`, release)
        return service
      } finally {
        building.pop()
      }
    }
    for (const target of [cradle, services]) Object.defineProperty(target, name, { get, enumerable: true })
  }
  return Object.freeze(services)
}

function releaseOf(service: unknown): (() => unknown) | null {
  if (typeof service !== 'object' || service === null) return null
  const disposable = service as { [Symbol.asyncDispose]?: () => PromiseLike<void>; [Symbol.dispose]?: () => void }
  if (typeof disposable[Symbol.asyncDispose] === 'function') return () => disposable[Symbol.asyncDispose]?.()
  return typeof disposable[Symbol.dispose] === 'function' ? () => disposable[Symbol.dispose]?.() : null
}
