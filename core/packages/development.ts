// Development versions, which an author sends to this service. A version replaces the registered one, which returns at
// the end, when the author's heartbeat stops, and at the next start. If a version does not start, the previous one
// returns.
import { join } from 'node:path'
import { PlayheadError, type EventBus, type Logger, type PluginManifest, type RegistryEntry } from '@playhead/sdk'
import { changeRegistry, readEntries, readRegistries, type RegistryFiles } from '../host/load/registry.ts'
import { rivalsOf } from '../host/load/rivals.ts'
import { asksOf, beyond, type Ask } from './asks.ts'
import { folderIn, manifestIn, placeFiles, refused, sweepReleases } from './install.ts'
import { sha512Of } from './npm-registry.ts'
import { readTarball } from './unpack.ts'

interface DevelopmentOptions {
  readonly files: RegistryFiles
  readonly nowMs: () => number
  readonly events: Pick<EventBus, 'emit'>
  readonly log: Logger
  /** Reloads plugins according to the registry. */
  readonly apply: (reload: string | null) => Promise<void>
}

export interface DevelopmentVersion {
  readonly id: string
  readonly version: string
  readonly sentAtMs: number
  readonly endsAtMs: number | null
  /** The version replaces a registered plugin. */
  readonly standsIn: boolean
  readonly switchedOff: readonly string[]
}

interface Sending {
  /** A package as `plugin pack` makes it. */
  readonly tarball: Buffer
  /** The version may replace a registered plugin, and disable plugins that provide the same. */
  readonly replace: boolean
  /** The checksum of the version whose review was accepted. */
  readonly accept: string | null
  /** The version ends without a heartbeat of its author for this long. */
  readonly leaseMs: number
  /** The sender, for the record. */
  readonly by: string
  /** Why the version cannot stay registered; null if it can. */
  readonly judge: (id: string) => Promise<string | null>
}

interface Sent {
  readonly manifest: PluginManifest
  readonly sha512: string
  readonly asks: readonly Ask[]
  /** Requests that are not accepted yet. If not empty, the version waits for a review and nothing was changed. */
  readonly newAsks: readonly Ask[]
  readonly switchedOff: readonly string[]
  /** The version stays registered. */
  readonly isKept: boolean
}

interface Development {
  list(): Promise<readonly DevelopmentVersion[]>
  send(sending: Sending): Promise<Sent>
  /** Renews the lease. */
  keep(id: string): Promise<DevelopmentVersion>
  /** Restores the previous version. */
  end(id: string, by: string): Promise<void>
  /** Called before plugins are loaded: a development version does not outlive the service. */
  start(): Promise<void>
  stop(): void
}

export function createDevelopment({ files, nowMs, events, log, apply }: DevelopmentOptions): Development {
  const file = files.userRegistry
  const home = join(files.packages, '.development')
  const leases = new Map<
    string,
    { readonly leaseMs: number; readonly timer: NodeJS.Timeout; readonly endsAtMs: number }
  >()
  /** Why development ended; reported to the author, whose client does not send the version again by itself. */
  const endedBy = new Map<string, string>()
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }
  const entryOf = async (id: string) => (await readEntries(file)).find((entry) => entry.id === id)

  async function list(): Promise<readonly DevelopmentVersion[]> {
    const shipped = new Set((await readEntries(files.bundledRegistry)).map(({ id }) => id))
    return (await readEntries(file)).flatMap(({ id, source = '', development: found }) =>
      found === undefined
        ? []
        : [
            {
              id,
              version: versionIn(source),
              sentAtMs: found.sentAt,
              endsAtMs: leases.get(id)?.endsAtMs ?? null,
              standsIn: found.before !== null || shipped.has(id),
              switchedOff: found.switchedOff,
            },
          ],
    )
  }

  function renew(id: string, leaseMs: number): void {
    clearTimeout(leases.get(id)?.timer)
    const timer = setTimeout(() => void inTurn(() => runOut(id)), leaseMs).unref()
    leases.set(id, { leaseMs, timer, endsAtMs: nowMs() + leaseMs })
  }

  async function runOut(id: string): Promise<void> {
    // The lease may have been renewed while this waited.
    const lease = leases.get(id)
    if (lease === undefined || lease.endsAtMs > nowMs() + 100) return
    try {
      if (await putBack(id, 'its author was not heard of', 'the service')) await apply(null)
    } catch (error) {
      log.error({ err: error, plugin: id }, 'the version before could not be put back; this is tried again')
      renew(id, lease.leaseMs)
    }
  }

  async function send({ tarball, replace, accept, leaseMs, by, judge }: Sending): Promise<Sent> {
    const what = 'The version'
    const content = await readTarball(tarball, what)
    const manifest = manifestIn(content, what)
    const { id, version } = manifest
    if (manifest.isolation === 'none')
      throw refused(
        `${id} ${version}`,
        'it asks for the thread of the service ("isolation": "none"). A version that is sent runs on a thread of its own: leave that out, or work on it in a service of its own, without --url.',
      )
    const standing = await entryOf(id)
    const known = (await readRegistries(files)).plugins.find((plugin) => plugin.id === id)
    if (known !== undefined && standing?.development === undefined && !replace)
      throw taken(
        known.origin === 'bundled'
          ? `A plugin "${id}" ships with Playhead.`
          : `A plugin "${id}" is registered${known.package === null ? '' : ` from the package ${known.package.name}`}.`,
      )
    const rivals = (await rivalsOf(files, manifest)).filter(({ enabled }) => enabled)
    const [rival] = rivals
    if (rival !== undefined && !replace)
      throw taken(`The plugin "${rival.id}" provides ${rival.token} already, and only one can.`)

    const sha512 = sha512Of(tarball)
    const asks = asksOf(manifest)
    const facts = { manifest, sha512, asks }
    const newAsks = beyond(standing?.development?.asks ?? standing?.package?.live?.asks ?? [], asks)
    if (newAsks.length > 0 && accept !== sha512) return { ...facts, newAsks, switchedOff: [], isKept: false }

    const placed = await placeFiles({ home: join(home, id), files: content, manifest, sha512, what })
    const folder = folderIn(file, placed.folder)
    let before: readonly RegistryEntry[] = []
    await changeRegistry(file, (plugins) => {
      before = plugins
      const { development = null, ...entry } = plugins.find((one) => one.id === id) ?? { id }
      const switchedOff = [...new Set([...(development?.switchedOff ?? []), ...rivals.map((one) => one.id)])]
      const next: RegistryEntry = {
        id,
        source: folder,
        integrity: placed.integrity,
        enabled: true,
        development: {
          sentAt: nowMs(),
          asks: [...asks],
          before: development !== null ? development.before : Object.keys(entry).length > 1 ? entry : null,
          switchedOff,
        },
      }
      return withEntries(plugins, [next, ...rivals.map((one) => ({ ...entryIn(plugins, one.id), enabled: false }))])
    })
    endedBy.delete(id)
    renew(id, leaseMs)
    await sweep(
      id,
      [entryIn(before, id).source, folder].filter((one) => one !== undefined),
    )
    const isSame = entryIn(before, id).source === folder && rivals.length === 0
    await apply(isSame ? id : null)
    const reason = await judge(id)
    const record = { plugin: id, version, sha512, by }
    if (reason === null) {
      log.warn(record, 'a version of a plugin that its author works on is live')
      events.emit('plugin.development_sent', record)
      return { ...facts, newAsks: [], switchedOff: rivals.map((one) => one.id), isKept: true }
    }
    await changeRegistry(file, (plugins) => {
      if (entryIn(plugins, id).source !== folder) return plugins
      const ids = [id, ...rivals.map((one) => one.id)]
      return withEntries(
        plugins.filter((one) => !ids.includes(one.id)),
        before.filter((one) => ids.includes(one.id)),
      )
    })
    if (entryIn(before, id).development === undefined) forget(id)
    await sweep(
      id,
      [entryIn(before, id).source].filter((one) => one !== undefined),
    )
    await apply(null)
    log.warn({ ...record, reason }, 'a version of a plugin that its author works on was not kept')
    return { ...facts, newAsks: [], switchedOff: [], isKept: false }
  }

  function forget(id: string): void {
    clearTimeout(leases.get(id)?.timer)
    leases.delete(id)
  }

  /** False if there is nothing to restore. */
  async function putBack(id: string, why: string, by: string): Promise<boolean> {
    const standing = await entryOf(id)
    if (standing?.development === undefined) {
      forget(id)
      return false
    }
    await changeRegistry(file, (plugins) => {
      const { development } = entryIn(plugins, id)
      if (development === undefined) return plugins
      const others = plugins.filter((one) => one.id !== id)
      const on = development.switchedOff.map((one) => ({ ...entryIn(others, one), enabled: true }))
      return withEntries(others, [...on, ...(development.before === null ? [] : [development.before as RegistryEntry])])
    })
    forget(id)
    await sweep(id, [])
    const record = { plugin: id, version: versionIn(standing.source), by, why }
    log.info(record, 'the development version of a plugin ended, and the previous version is back')
    events.emit('plugin.development_ended', record)
    return true
  }

  const sweep = (id: string, folders: readonly string[]) =>
    sweepReleases(
      { registry: file, packages: home },
      id,
      folders.map((folder) => ({ folder })),
      nowMs(),
    )

  const unknown = (id: string) =>
    new PlayheadError('PLH_NOT_FOUND', `There is no version of "${id}" in development.`, {
      wire: 'plugin_development_unknown',
    })

  const ended = (id: string) =>
    new PlayheadError(
      'PLH_CONFLICT',
      `${endedBy.get(id)} ended the work on "${id}", and what was there before is back.`,
      { wire: 'plugin_development_ended' },
    )

  return {
    list,
    send: (sending) => inTurn(() => send(sending)),
    keep: (id) =>
      inTurn(async () => {
        const found = (await list()).find((one) => one.id === id)
        const lease = leases.get(id)
        if (found === undefined || lease === undefined) throw endedBy.has(id) ? ended(id) : unknown(id)
        renew(id, lease.leaseMs)
        return { ...found, endsAtMs: leases.get(id)?.endsAtMs ?? null }
      }),
    end: (id, by) =>
      inTurn(async () => {
        if (!(await putBack(id, 'it was ended', by))) throw unknown(id)
        endedBy.set(id, by)
        await apply(null)
      }),
    start: () =>
      inTurn(async () => {
        const found = await list().catch(() => [])
        for (const { id } of found) await putBack(id, 'the service was started again', 'the service')
      }),
    stop() {
      for (const id of [...leases.keys()]) forget(id)
    },
  }
}

function versionIn(source = ''): string {
  return /([^/]+)-[0-9a-f]{12}$/.exec(source)?.[1] ?? ''
}

function entryIn(plugins: readonly RegistryEntry[], id: string): RegistryEntry {
  return plugins.find((one) => one.id === id) ?? { id }
}

function withEntries(plugins: readonly RegistryEntry[], changed: readonly RegistryEntry[]): RegistryEntry[] {
  const others = plugins.filter(({ id }) => !changed.some((one) => one.id === id))
  return [...others, ...changed].sort((a, b) => (a.id < b.id ? -1 : 1))
}

function taken(text: string): PlayheadError {
  return new PlayheadError('PLH_CONFLICT', `${text} Send it with replace (--replace) to have it stand in meanwhile.`, {
    wire: 'plugin_id_taken',
  })
}
