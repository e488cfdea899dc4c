// What the adapters of our stand-ins share.
import { DEFAULT_PROFILE, type Feature, type Item, type Provider, providerCapability } from '@playhead/sdk'
import type { TestHost } from '@playhead/sdk/testing'
import type { FlowScript } from '@playhead/sdk/testing/conformance'

/** Hands things out one after the other, each once. */
export function stockOf<T>(things: readonly T[]): { take(count: number): readonly T[] } {
  let next = 0
  return {
    take(count) {
      if (next + count > things.length) throw new RangeError(`the stand-in has only ${things.length} items`)
      next += count
      return things.slice(next - count, next)
    },
  }
}

/** The item with what another provider would say about it. */
export function valued(
  feature: Feature,
  item: Item,
  { durationMs = 6_000_000, atMs = Date.now() - 5 * 86_400_000 } = {},
): Item {
  const at = new Date(Math.floor(atMs / 60_000) * 60_000).toISOString()
  switch (feature) {
    case 'history':
      return { ...item, watched: true, watched_at: at }
    case 'ratings':
      return { ...item, rating: 7, rated_at: at }
    case 'progress':
      return { ...item, progress_ms: Math.floor(durationMs / 4), duration_ms: durationMs, progress_at: at }
    default:
      return { ...item, added_at: at }
  }
}

/** As a service that knows no such film would see it. */
export function unknownFilm(feature: Feature): Item {
  return valued(feature, {
    type: 'movie',
    title: 'Never made',
    year: 1999,
    ids: { imdb: 'tt9990001', tmdb: '999000001' },
  })
}

export function providerOf(host: TestHost, id: string): Provider {
  return host.capability<Provider>(providerCapability(id)) as unknown as Provider
}

/** Gives a profile its settings, credentials among them. */
export async function connect(
  host: TestHost,
  id: string,
  instance: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (instance === DEFAULT_PROFILE) await host.changeConfig(settings)
  else await providerOf(host, id).saveProfile(instance, settings)
}

/** Ids as our items have them, of an object with numbers and gaps. */
export function idsOf(given: object): Item['ids'] {
  const ids = given as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    (['imdb', 'tmdb', 'tvdb'] as const).flatMap((name) =>
      ids[name] == null || ids[name] === '' ? [] : [[name, String(ids[name])]],
    ),
  )
}

/** Later times for later items: minutes that all lie in the past. */
export function pastTimes(): () => number {
  let turn = 0
  return () => Math.floor(Date.now() / 60_000) * 60_000 - 30 * 86_400_000 + 60_000 * turn++
}

/** How a person calls a pending sign-in off where no route is for that alone. */
export function cancelByDisconnecting(id: string): NonNullable<FlowScript['cancel']> {
  return async (host, instance) => providerOf(host, id).disconnect(instance)
}

export async function postOk(host: TestHost, url: string, payload: object = {}): Promise<Record<string, unknown>> {
  const answer = await host.inject({ method: 'POST', url, payload })
  if (answer.statusCode !== 200) throw new Error(`${url} was answered with ${answer.statusCode}: ${answer.body}`)
  return answer.json() as Record<string, unknown>
}
