// The core services of the test host, with in-memory storage and the test's clock. The plugin's own output is not
// redacted, so that tests can check it for secrets.
import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createUpstreamHub, type UpstreamHub } from '../upstream/hub.ts'
import type { Clock } from '../clock.ts'
import { createSectionChecks } from '../config/document/resolve-section.ts'
import { createConfigService, type RunningConfig } from '../config/service.ts'
import { createData } from '../data/data.ts'
import { createEventBus, type CoreEventBus } from '../events/bus.ts'
import { createLogChannels } from '../events/log-channels.ts'
import { createRedactor } from '../events/redaction.ts'
import { createStreams, type StreamHub } from '../events/streams.ts'
import { createTopics } from '../events/topics.ts'
import type { HostDependencies } from '../host/dependencies.ts'
import type { PluginSources } from '../host/load/sources.ts'
import type { Gate } from '../http/access/access.ts'
import { createSecurityHeaders } from '../http/security-headers.ts'
import { createStoredAnswers } from '../http/stored-answers.ts'
import { createCompilers } from '../http/validation.ts'
import { ROOT } from '../installation.ts'
import { createLogging } from '../log.ts'
import { CORE_MIGRATIONS } from '../core-tables.ts'
import { createScheduler, type Scheduler } from '../scheduling/scheduler.ts'
import { migrate } from '../storage/migrations.ts'
import { createPluginStorage } from '../storage/plugin-storage.ts'
import { openVault } from '../storage/vault.ts'
import { VERSION } from '../version.ts'
import { createWorkRegistry, type CoreWork } from '../work/registry.ts'
import type { Sleep } from '@playhead/sdk'
import { checkAnswer } from './answers.ts'
import { createMemoryFile } from './storage.ts'
import { expiringBy } from './expiring.ts'
import { createTestSignIn } from './sign-in.ts'
import { openTestKeyValue, openTestTables } from './storage.ts'
import { createTestTimers, type TestTimers } from './timers.ts'

export interface TestServices {
  readonly core: HostDependencies
  readonly config: RunningConfig
  readonly events: CoreEventBus
  readonly streams: StreamHub
  readonly scheduler: Scheduler
  /** Timers of the scheduler. */
  readonly ticks: TestTimers
  /** Timers of delayed work. */
  readonly delays: TestTimers
  readonly hub: UpstreamHub
  readonly work: CoreWork
}

interface TestServicesOptions {
  /** A folder for data that must be files. */
  readonly folder: string
  readonly clock: Clock & { readonly sleep?: Sleep }
  readonly settings: object
  readonly sources: PluginSources
  readonly gate: Gate
}

// Compiled threads of plugins, by the hash of their sources. All test hosts share them, because compiling is slow.
const COMPILED = join(ROOT, 'node_modules', '.cache', 'playhead-tests', 'hosts')

// Test hosts repeatedly use the same schemas.
const compilers = createCompilers()
const checks = createSectionChecks()

const skipSerializer = (text: string) => text

export async function openTestServices(
  { folder, clock, settings, sources, gate }: TestServicesOptions,
  closers: AsyncDisposableStack,
): Promise<TestServices> {
  const startedAtMs = clock.now()
  let publicNames: ReadonlySet<string> = new Set()
  const topics = createTopics({ clock })
  const channels = createLogChannels({ topics })
  const { redact, redactValue } = createRedactor({
    secretValues: () => config?.secretValues() ?? new Set(),
    publicNames: () => publicNames,
  })
  const logging = createLogging({
    level: 'trace',
    redactValue,
    channels,
    clock,
    output: { write: () => {} },
    pretty: false,
  })
  const { log } = logging

  const db = openTestTables()
  closers.defer(() => db.destroy())
  await migrate(db, 'core', CORE_MIGRATIONS, clock)
  const keyValue = await openTestKeyValue(log)
  closers.defer(() => keyValue.close())
  let config: RunningConfig | undefined
  const vault = openVault({ keyFile: join(folder, 'secret.key') })
  const running = (config = await createConfigService({
    file: createMemoryFile(JSON.stringify(settings)),
    vault,
    version: VERSION,
    log,
    clock,
    checks,
  }))
  closers.defer(() => running.close())

  const events = createEventBus({ clock, log, redactValue: (value) => structuredClone(value) })
  const work = createWorkRegistry({ clock })
  const streams = createStreams({ topics, log, redact: skipSerializer })
  const [ticks, delays] = [createTestTimers(), createTestTimers()]
  const scheduler = createScheduler({ db, clock, log, hostId: randomUUID(), timers: ticks })
  const sleep = clock.sleep === undefined ? {} : { sleep: clock.sleep.bind(clock) }
  const hub = createUpstreamHub({ clock, log, redact: skipSerializer, ...sleep })
  const { pathsOf, ...storage } = createPluginStorage({
    dataDirectory: {
      shared: (name) => join(folder, 'files', name),
      pluginFiles: (id) => join(folder, 'plugins', id),
      pluginDatabases: (id) => join(folder, 'databases', id),
    },
    clock,
  })
  const data = createData({
    root: folder,
    clock,
    log,
    keyFile: join(folder, 'secret.key'),
    passphrase: null,
    lastRestore: null,
    work: work.of('core'),
    onStaged: () => {},
  })
  closers.defer(() => data.close())
  const externalSignIn = createTestSignIn(() => clock.now())
  const endings = new Map<string, Map<string, number>>()

  const core: HostDependencies = {
    clock,
    timers: delays,
    log,
    pluginLogger: logging.forPlugin,
    redact,
    version: VERSION,
    startedAtMs,
    dataEpoch: '',
    hasLostRows: false,
    isNewData: false,
    directories: {
      bundledRegistry: join(folder, 'bundled.json'),
      userRegistry: join(folder, 'plugin-registry.json'),
      packages: join(folder, 'packages'),
      compiled: await compiledFolder(folder),
      run: folder,
    },
    sources,
    npmRegistry: () => Promise.reject(new Error('The test host has no npm registry.')),
    vault,
    config: running,
    database: db,
    migrate: async (owner, migrations) => void (await migrate(db, owner, migrations, clock)),
    keyValue: {
      namespace: (name, options) =>
        expiringBy(
          () => clock.now(),
          endings.getOrInsertComputed(name, () => new Map()),
          keyValue.namespace(name, options),
        ),
    },
    ...storage,
    beforeMigration: async () => {},
    pluginPaths: (plugin) => ({ ...pathsOf(plugin), database: null, compiled: null }),
    data,
    restart: () => {},
    events,
    streams: {
      ...streams,
      // Injected requests do not disconnect: the response ends with the available data.
      open(request, reply, options) {
        streams.open(request, reply, options)
        setImmediate(() => reply.raw.end())
        return reply
      },
    },
    work,
    externalSignIn,
    scheduler,
    upstream: hub,
    prelude: {
      gate,
      compilers,
      headersFor: createSecurityHeaders({ config: running, selfSigned: () => false }),
      onAnswer: checkAnswer,
      stored: createStoredAnswers(),
    },
    logChannels: () => channels.list(),
    process: () => ({
      rssBytes: 100e6,
      heapUsedBytes: 40e6,
      heapLimitBytes: 400e6,
      externalBytes: 5e6,
      cpuUserSeconds: 1,
      cpuSystemSeconds: 0.5,
      loopDelayMs: { mean: 1, p99: 2, max: 3 },
    }),
    health: async () => [],
    setPublicNames: (names) => {
      publicNames = names
    },
    setLogChannels: (declared) => channels.setDeclaredChannels(declared),
  }
  return { core, config: running, events, streams, scheduler, ticks, delays, hub, work }
}

/** A folder of the test, if the installation is read-only. */
function compiledFolder(folder: string): Promise<string> {
  return mkdir(COMPILED, { recursive: true }).then(
    () => COMPILED,
    () => join(folder, 'compiled'),
  )
}
