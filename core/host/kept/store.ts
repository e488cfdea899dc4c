// Requests that arrived while their plugin was not running, one encrypted file each: the query of a webhook is a secret.
// The name of a file has its place in the order, the time of arrival and the plugin.
import { isRecent, orAfter } from '@playhead/sdk'
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '@playhead/sdk'
import type { Clock } from '../../clock.ts'
import { replaceFile, sweepTemporaryFiles } from '../../storage/atomic-file.ts'
import { type Vault, VaultError } from '../../storage/vault.ts'
import { type KeptRequest, openRequest, sealRequest } from './seal.ts'

export const MAX_REQUESTS = 2_000
const MAX_BYTES = 64 * 1024 * 1024
const MAX_AGE_MS = 14 * 86_400_000
const LOG_EVERY_MS = 60_000
const NAME = /^(\d{12})\.(\d{1,16})\.([a-z][a-z0-9-]*)$/

interface KeptEntry {
  readonly plugin: string
  readonly seq: number
  readonly atMs: number
}

export interface KeptStore {
  /** Reads the requests that an earlier run stored. */
  open(): Promise<void>
  /** Requests of a plugin that became part of another plugin are delivered to the other plugin. */
  adopt(former: string, plugin: string): void
  /** True if a request of this plugin is kept, or being written. */
  has(plugin: string): boolean
  /** Resolves when it is on disk. */
  keep(plugin: string, request: KeptRequest): Promise<void>
  /** The oldest request of a plugin; null without one. Drops unreadable ones. */
  first(plugin: string): Promise<{ readonly entry: KeptEntry; readonly request: KeptRequest } | null>
  remove(entry: KeptEntry): Promise<void>
  /** Deletes all requests of a plugin. */
  discard(plugin: string): Promise<void>
  /** Resolves true when no request of this plugin is kept, false at the limit. */
  emptied(plugin: string, limitMs: number): Promise<boolean>
  /** Resolves when all writes have ended. */
  settled(): Promise<void>
}

interface KeptStoreDependencies {
  readonly folder: string
  readonly vault: Vault
  readonly clock: Clock
  readonly log: Logger
}

interface Entry extends Omit<KeptEntry, 'plugin'> {
  plugin: string
  /** The plugin of the file's name, to which its content is bound. */
  readonly sealedFor: string
  readonly file: string
  bytes: number
  written: Promise<void>
}

export function createKeptStore({ folder, vault, clock, log }: KeptStoreDependencies): KeptStore {
  // In order of arrival.
  const entries = new Map<number, Entry>()
  const counts = new Map<string, number>()
  const waiters = new Map<string, Set<() => void>>()
  let bytes = 0
  let lastSeq = 0
  const losses = { count: 0, loggedAtMs: Number.NEGATIVE_INFINITY }

  function add(entry: Entry): void {
    entries.set(entry.seq, entry)
    counts.set(entry.plugin, (counts.get(entry.plugin) ?? 0) + 1)
    bytes += entry.bytes
    lastSeq = Math.max(lastSeq, entry.seq)
  }

  function forget({ seq, plugin, bytes: own }: Entry): void {
    if (!entries.delete(seq)) return
    bytes -= own
    const left = (counts.get(plugin) ?? 1) - 1
    if (left > 0) return void counts.set(plugin, left)
    counts.delete(plugin)
    for (const wake of waiters.get(plugin) ?? []) wake()
    waiters.delete(plugin)
  }

  async function discard(entry: Entry): Promise<void> {
    forget(entry)
    await entry.written.catch(() => {})
    await rm(entry.file, { force: true })
  }

  function drop(entry: Entry, why: string): void {
    void discard(entry).catch((error: unknown) => log.warn({ err: error }, 'a kept request could not be deleted'))
    losses.count += 1
    if (isRecent(losses.loggedAtMs, clock.now(), LOG_EVERY_MS)) return
    log.warn({ plugin: entry.plugin, dropped: losses.count }, `kept requests were dropped, the oldest first: ${why}`)
    losses.count = 0
    losses.loggedAtMs = clock.now()
  }

  function dropExcess(): void {
    for (const entry of entries.values()) {
      const isOld = clock.now() - entry.atMs > MAX_AGE_MS
      const isTooMuch = entries.size > MAX_REQUESTS || bytes > MAX_BYTES
      if (!isOld && !isTooMuch) return
      drop(entry, isOld ? 'they are older than 14 days' : `at most ${MAX_REQUESTS} and 64 MiB are kept`)
    }
  }

  const addressOf = ({ sealedFor, seq }: Pick<Entry, 'sealedFor' | 'seq'>) => `kept-request/${sealedFor}/${seq}`

  return {
    async open() {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await sweepTemporaryFiles(folder)
      for (const name of (await readdir(folder)).sort()) {
        const [, seq, atMs, plugin] = NAME.exec(name) ?? []
        if (seq === undefined || plugin === undefined) continue
        const file = join(folder, name)
        const { size } = await stat(file)
        const written = Promise.resolve()
        add({ plugin, sealedFor: plugin, seq: Number(seq), atMs: Number(atMs), file, bytes: size, written })
      }
      dropExcess()
      for (const [plugin, count] of counts) log.info({ plugin, count }, 'requests are kept for a plugin')
    },

    adopt(former, plugin) {
      const count = counts.get(former)
      if (count === undefined) return
      for (const entry of entries.values()) if (entry.plugin === former) entry.plugin = plugin
      counts.delete(former)
      counts.set(plugin, (counts.get(plugin) ?? 0) + count)
    },

    has: (plugin) => counts.has(plugin),

    async discard(plugin) {
      await Promise.all([...entries.values()].filter((entry) => entry.plugin === plugin).map(discard))
    },

    async keep(plugin, request) {
      const seq = lastSeq + 1
      const name = `${String(seq).padStart(12, '0')}.${request.atMs}.${plugin}`
      const { bytes: size, content } = sealRequest(request, vault, addressOf({ sealedFor: plugin, seq }))
      const file = join(folder, name)
      const written = Promise.resolve()
      const entry: Entry = { plugin, sealedFor: plugin, seq, atMs: request.atMs, file, bytes: size, written }
      if (!counts.has(plugin)) log.info({ plugin }, 'the plugin is not running; its webhooks are kept until it is')
      add(entry)
      entry.written = replaceFile(file, content).then(() => {})
      dropExcess()
      try {
        await entry.written
      } catch (error) {
        forget(entry)
        throw error
      }
    },

    async first(plugin) {
      dropExcess()
      for (const entry of entries.values()) {
        if (entry.plugin !== plugin) continue
        try {
          await entry.written
          return { entry, request: await openRequest(await readFile(entry.file), vault, addressOf(entry)) }
        } catch (error) {
          if (!entries.has(entry.seq)) continue
          log.error({ err: error, plugin }, 'a kept request cannot be read')
          // The file stays: after a restart with the right key it can be read.
          if (error instanceof VaultError && error.fault !== 'damaged') forget(entry)
          else await discard(entry)
        }
      }
      return null
    },

    async remove({ seq }) {
      const entry = entries.get(seq)
      if (entry !== undefined) await discard(entry)
    },

    emptied(plugin, limitMs) {
      if (!counts.has(plugin)) return Promise.resolve(true)
      const mine = waiters.getOrInsertComputed(plugin, () => new Set())
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const wake = () => resolve(true)
      mine.add(wake)
      return orAfter(promise, limitMs, false).finally(() => mine.delete(wake))
    },

    settled: async () => void (await Promise.allSettled([...entries.values()].map(({ written }) => written))),
  }
}
