// The services of a generation in an Awilix scope. Awilix disposes all at once in order of first use, but a service
// must outlive its dependents, so each is added to the generation's releases when it is created.
import { createContainer, asFunction, asValue, InjectionMode } from 'awilix/browser'
import { PlayheadError, type HostInputs, type PluginContext } from '@playhead/sdk'
import type { Generation } from './generation.ts'

type Factory = (cradle: never) => unknown

interface GenerationServices {
  /** Created on first use. */
  readonly services: Readonly<Record<string, unknown>>
  /** Nothing can be created or resolved afterwards. */
  close(): void
}

// Plugin scopes do not inherit from the core: factories see only what the SDK documents.
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
