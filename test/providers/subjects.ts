// The shipped providers, each with its stand-in: every test applies to all of them.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Adapter, openSubject, type Subject } from '@playhead/sdk/testing/conformance'

const ROOT = join(import.meta.dirname, '..', '..')
const { plugins } = JSON.parse(readFileSync(join(ROOT, 'plugin-registry.json'), 'utf8')) as {
  plugins: { id: string; source: string }[]
}

/** Ids of all providers that ship. */
export const PROVIDERS: readonly string[] = plugins
  .filter(({ source }) => source.startsWith('./plugins/providers/'))
  .map(({ id }) => id)

/** The tracker stores its rows itself, so there are no responses of a service to spoil. */
export const WITHOUT_SERVICE = 'tracker'

export const WITH_SERVICE: readonly string[] = PROVIDERS.filter((id) => id !== WITHOUT_SERVICE)

export async function subjectOf(id: string): Promise<Subject> {
  return openSubject({ folder: join(ROOT, 'plugins', 'providers', id), adapter: await adapterOf(id) })
}

export async function adapterOf(id: string): Promise<Adapter> {
  const files = [
    join(ROOT, 'test', 'conformance', 'adapters', `${id}.ts`),
    join(ROOT, 'test', 'plugins', id, 'conformance-adapter.ts'),
  ]
  const file = files.find((one) => existsSync(one))
  if (file === undefined) throw new Error(`there is no adapter for ${id}: none of ${files.join(', ')}`)
  return ((await import(file)) as { readonly default: Adapter }).default
}
