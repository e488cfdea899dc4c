// The services of one generation, in an Awilix scope of its own. Awilix disposes everything at once and in the order of
// first use; a service must outlive those built on it. So each one goes onto the generation's own list of releases when
// it is first built, and is released in reverse.
import { createContainer, asFunction, asValue, InjectionMode } from 'awilix/browser'
import { PlayheadError, type HostInputs, type PluginContext } from '@playhead/sdk'
import type { Generation } from './generation.ts'

type Factory = (cradle: never) => unknown

export interface GenerationServices {
  /** Members are built on first use. */
  readonly services: Readonly<Record<string, unknown>>
  /** Nothing can be built or reached afterwards. */
  close(): void
}

// Plugin scopes share no parent with the core: a factory sees what the SDK promises and nothing else.
const root = createContainer({ injectionMode: InjectionMode.PROXY, strict: true })

export function createServices(
  generation: Generation,
  inputs: HostInputs,
  factories: Readonly<Record<string, Factory>>,
  ctx: () => PluginContext,
): GenerationServices {
  let scope: ReturnType<typeof root.createScope> | null = root.createScope()
  for (const [name, value] of Object.entries(inputs)) scope.register(name, asValue(value))
  scope.register('ctx', asFunction(ctx).scoped())
  for (const [name, factory] of Object.entries(factories)) {
    if (name === 'ctx' || name in inputs)
      throw new TypeError(`The service "${name}" has the name of something that the host provides; choose another.`)
    scope.register(
      name,
      asFunction((cradle: never) => {
        const service = factory(cradle)
        const release = releaseOf(service)
        if (release !== null) generation.own(`service ${name}`, release)
        return service
      }).scoped(),
    )
  }

  const services: Record<string, unknown> = {}
  for (const name of Object.keys(factories)) {
    Object.defineProperty(services, name, {
      enumerable: true,
      get() {
        if (scope === null)
          throw new PlayheadError(
            'PLH_PLUGIN_DISPOSED',
            `Plugin "${generation.plugin}" was replaced; its service "${name}" is gone.`,
          )
        return scope.resolve(name)
      },
    })
  }
  return {
    services: Object.freeze(services),
    close: () => {
      scope = null
    },
  }
}

function releaseOf(service: unknown): (() => void | Promise<void>) | null {
  if (typeof service !== 'object' || service === null) return null
  const disposable = service as { [Symbol.asyncDispose]?: () => PromiseLike<void>; [Symbol.dispose]?: () => void }
  if (typeof disposable[Symbol.asyncDispose] === 'function') return async () => disposable[Symbol.asyncDispose]?.()
  if (typeof disposable[Symbol.dispose] === 'function') return () => disposable[Symbol.dispose]?.()
  return null
}
