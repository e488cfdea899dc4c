// The core's services on an isolated plugin's thread. Files and databases are opened here; the host serves everything
// else.
import { basename } from 'node:path'
import { type KeyValueStore, PlayheadError, type Remote, type WorkRegistry } from '@playhead/sdk'
import { systemClock } from '../../clock.ts'
import { createCompilers } from '../../http/validation.ts'
import { createRunning } from '../../own-database/running.ts'
import { openTables } from '../../own-database/tables.ts'
import { loggerOf, type Relay } from '../../own-thread/relayed-log.ts'
import { migrate } from '../../storage/migrations.ts'
import { createPluginStorage } from '../../storage/plugin-storage.ts'
import type { StageDependencies } from '../dependencies.ts'
import type { ThreadUpstream } from './thread-upstream.ts'
import { openInHost, THREAD_GATE } from './thread-request.ts'
import { type HostSide, MIGRATING, type PluginData, type SyncSide } from './wire.ts'

interface ThreadCoreParts {
  readonly data: PluginData
  /** Shared with the host. */
  readonly beats: Int32Array
  readonly relay: Remote<Relay>
  readonly host: Remote<HostSide>
  readonly sync: SyncSide
  readonly store: Remote<KeyValueStore>
  readonly upstream: ThreadUpstream
  readonly work: WorkRegistry
  /** The plugin set the time of a job. */
  readonly retime: (job: string) => void
}

/** Sent without waiting, like the same calls in the host. */
const forget = (call: Promise<unknown>) => void call.catch(() => {})

export function createThreadCore({
  data,
  beats,
  relay,
  host,
  sync,
  store,
  upstream,
  work,
  retime,
}: ThreadCoreParts): StageDependencies {
  const { paths, manifest } = data
  const log = loggerOf(relay as Relay, [])
  const declared = new Set((manifest.logChannels ?? []).map(({ tag }) => tag))
  const pluginLog: typeof log = {
    ...log,
    channel(tag) {
      if (declared.has(tag)) return log.channel(tag)
      throw new PlayheadError(
        'PLH_PLUGIN_UNDECLARED',
        `The log channel ${tag} is not declared. Add it to logChannels in plugin.json`,
      )
    },
  }
  let tables: ReturnType<typeof openTables> | undefined
  const database = () => {
    if (paths.database === null)
      throw new PlayheadError('PLH_UNSUPPORTED', 'The database of this host is in memory; an isolated plugin has none.')
    return (tables ??= openTables(paths.database))
  }
  const { databaseFolder, files, ownDatabases } = createPluginStorage({
    dataDirectory: {
      pluginDatabases: () => paths.ownDatabases,
      pluginFiles: () => paths.files,
      shared: (folder) => paths.shared[folder] as string,
    },
    clock: systemClock,
    beforeMigration: (file) => host.beforeMigration(basename(file)),
  })

  return {
    log,
    // The host enforces its own limit and reads the state in shared memory.
    running: createRunning(beats, MIGRATING),
    pluginLogger: () => pluginLog,
    redact: (text) => sync.redact(text),
    directories: { compiled: paths.compiled },
    // Opened at first use.
    database: new Proxy({} as ReturnType<typeof openTables>, {
      get(_target, name) {
        const opened = database()
        const member: unknown = Reflect.get(opened, name, opened)
        return typeof member === 'function' ? member.bind(opened) : member
      },
    }),
    migrate: async (owner, migrations, parts) => {
      if (migrations.length === 0) return
      const opened = database()
      await migrate(opened, owner, migrations, systemClock, () => host.beforeMigration(null), {
        ...parts,
        allowsNewer: data.allowsNewer,
        file: paths.database as string,
      })
    },
    keyValue: { namespace: () => store as KeyValueStore },
    ownDatabases: (plugin, log, parts) => ownDatabases(plugin, log, { ...parts, allowsNewer: data.allowsNewer }),
    databaseFolder,
    files,
    events: {
      emitAs: (_source, name, fields) => forget(host.emit(name, fields)),
      recent: (options) => sync.recentEvents(options) as never,
    },
    streams: {
      publish: (topic, message) => forget(host.publish(topic, message)),
      read: (topic, options) => sync.readStream(topic, options) as never,
      topics: (prefix) => sync.streamTopics(prefix),
      open: openInHost,
    },
    scheduler: {
      retime: (_owner, job) => retime(job),
      next: ({ name }) => host.next(name) as never,
      jobs: () => sync.jobs() as never,
    },
    upstream: { factory: () => ({ ...upstream.factory, close: async () => {} }) },
    // Refused before the thread starts.
    externalSignIn: null as never,
    data: null as never,
    work: { of: () => ({ ...work, close: () => {} }) },
    prelude: { gate: THREAD_GATE, compilers: createCompilers(), headersFor: () => ({}) },
  }
}
