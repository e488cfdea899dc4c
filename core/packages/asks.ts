// The permissions that a plugin asks for: shown, stored when accepted, and compared with those of later versions.
import type { PluginManifest } from '@playhead/sdk'
import { DEFAULT_MEMORY_MB, sectionsOf } from '../host/load/manifest-values.ts'

/** One request: a kind and a value, for example `host api.example.org`. */
export type Ask = string

/** A larger number is a new request, a smaller one is not. */
const AMOUNTS: ReadonlySet<string> = new Set(['memory', 'storage'])

export function asksOf(manifest: PluginManifest): readonly Ask[] {
  const { needs = {}, routes = [], ui = {}, provides = [], requires = [], optional = [] } = manifest
  const all = (kind: string, values: readonly unknown[] | undefined = []) => values.map((value) => `${kind} ${value}`)
  const when = (isAsked: boolean | undefined, ask: Ask) => (isAsked === true ? [ask] : [])
  const hooks = needs.hooks ?? []
  const isIsolated = manifest.isolation !== 'none'
  return [
    ...all('host', needs.hosts),
    ...all(
      'route',
      routes.map(({ method, path, auth = 'S' }) => `${auth} ${method} ${path}`),
    ),
    ...all(
      'hook',
      hooks.filter((name) => !name.startsWith('event:')),
    ),
    ...all(
      'event',
      hooks.filter((name) => name.startsWith('event:')).map((name) => name.slice('event:'.length)),
    ),
    ...all('secret', needs.secrets),
    ...all('settings', sectionsOf(manifest)),
    ...all('provides', provides),
    ...all(
      'uses',
      [...requires, ...optional].map((token) => token.split('@')[0]),
    ),
    ...all('page', [...(ui.pages ?? []).map(({ title }) => title), ...(ui.panels ?? []).map(({ title }) => title)]),
    ...all('folder', needs.files),
    ...all('module', needs.builtins),
    ...all('storage', needs.storage === undefined ? [] : [needs.storage]),
    ...(isIsolated ? [`memory ${needs.memory ?? DEFAULT_MEMORY_MB}`] : ['isolation none']),
    ...when(needs.database, 'power database'),
    ...when(needs.listFiles, 'power listFiles'),
    ...when(needs.inspect, 'power inspect'),
    ...when(needs.data, 'power data'),
    ...when(needs.signIn, 'power signIn'),
    ...when(needs.directory, 'power directory'),
  ].filter((ask, index, asks) => asks.indexOf(ask) === index)
}

/** The requests that the accepted list does not cover. */
export function beyond(accepted: readonly Ask[], wanted: readonly Ask[]): readonly Ask[] {
  return wanted.filter((ask) => {
    if (accepted.includes(ask)) return false
    const { kind, value } = partsOf(ask)
    if (!AMOUNTS.has(kind)) return true
    const known = accepted.map(partsOf).find((other) => other.kind === kind)
    return known === undefined || Number(value) > Number(known.value)
  })
}

const POWERS: Readonly<Record<string, string>> = {
  database: 'has its own databases',
  listFiles: 'lists the names of all shared files',
  inspect: 'sees all settings (secrets masked) and the details of all plugins',
  data: 'copies and replaces everything in the data directory, keys included',
  directory: 'brings plugins of the signed directory for a review, and updates of those that ask for nothing new',
  signIn: 'signs people in without a password, through a linked account',
}

const AUTHS: Readonly<Record<string, string>> = {
  P: ' (without a sign-in)',
  SS: ' (without a sign-in during setup)',
  W: ' (with a webhook token)',
  T: ' (with a token of its own)',
}

/** A sentence for each kind, most important first. */
export function describeAsks(asks: readonly Ask[]): readonly string[] {
  const of = (kind: string) =>
    asks
      .map(partsOf)
      .filter((ask) => ask.kind === kind)
      .map(({ value }) => value)
  const line = (label: string, values: readonly string[]) =>
    values.length === 0 ? [] : [`${label}: ${values.join(', ')}`]
  const hosts = of('host').map((host) =>
    host.replace(/^config:/, 'the address in its setting ').replace(/^entered$/, 'addresses that people type in'),
  )
  const routes = of('route').map((route) => {
    const [auth = 'S', ...words] = route.split(' ')
    return `${words.join(' ')}${AUTHS[auth] ?? ''}`
  })
  return [
    `reaches: ${hosts.length === 0 ? 'no hosts' : hosts.join(', ')}`,
    ...line('secrets that you enter for it', of('secret')),
    ...line('settings', of('settings')),
    ...line('taps hooks', of('hook')),
    ...line('follows events', of('event')),
    ...line('answers', routes),
    ...line('provides', of('provides')),
    ...line('uses', of('uses')),
    ...line('pages', of('page')),
    ...line('shared folders', of('folder')),
    ...line(
      'storage',
      of('storage').map((bytes) => `${bytes} bytes`),
    ),
    ...line(
      'memory',
      of('memory').map((megabytes) => `${megabytes} MB`),
    ),
    ...of('power').map((power) => POWERS[power] ?? power),
    ...line('Node modules with power over this machine', of('module')),
    ...(of('isolation').includes('none') ? ['runs in the thread of Playhead: if it hangs, Playhead hangs'] : []),
  ]
}

/** The warning about the limits of permissions, shown where a person accepts them. */
export const NO_FENCE =
  'This is what the plugin asks for, not a fence: Playhead refuses the rest, but cannot hold code that means harm. Accept only what you trust.'

/** One request in words. */
export function describeAsk(ask: Ask): string {
  const [hosts = '', line] = describeAsks([ask])
  return line ?? hosts
}

function partsOf(ask: Ask): { readonly kind: string; readonly value: string } {
  const at = ask.indexOf(' ')
  return { kind: ask.slice(0, at), value: ask.slice(at + 1) }
}
