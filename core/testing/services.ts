// The core services of the test host, with in-memory storage and the test's clock. The plugin's own output is not
// redacted, so that tests can check it for secrets.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { defined } from '@playhead/sdk/host'
import type { UpstreamHub } from '../upstream/hub.ts'
import type { Clock } from '../clock.ts'
import { createSectionChecks } from '../config/document/resolve-section.ts'
import { createConfigService, type RunningConfig } from '../config/service.ts'
import { createData } from '../data/data.ts'
import type { CoreEventBus } from '../events/bus.ts'
import type { StreamHub } from '../events/streams.ts'
import type { HostDependencies } from '../host/dependencies.ts'
import type { PluginSources } from '../host/load/sources.ts'
import type { Gate } from '../http/access/access.ts'
import { createSecurityHeaders } from '../http/security-headers.ts'
import { createStoredAnswers } from '../http/stored-answers.ts'
import { createCompilers } from '../http/validation.ts'
import { ROOT } from '../installation.ts'
import { CORE_MIGRATIONS } from '../core-tables.ts'
import type { Scheduler } from '../scheduling/scheduler.ts'
import { migrate } from '../storage/migrations.ts'
import { createPluginStorage } from '../storage/plugin-storage.ts'
import { openVault } from '../storage/vault.ts'
import { forHost, openLog, openTraffic } from '../parts.ts'
import { VERSION } from '../version.ts'
import type { CoreWork } from '../work/registry.ts'
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
  let config: RunningConfig | undefined
  const opened = openLog({
    ...{ clock, config: () => config, level: 'trace', pretty: false },
    output: { write: () => {} },
  })
  const { log } = opened.logging

  const db = openTestTables()
  closers.defer(() => db.destroy())
  await migrate(db, 'core', CORE_MIGRATIONS, clock)
  const keyValue = await openTestKeyValue(log)
  closers.defer(() => keyValue.close())
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

  const [ticks, delays] = [createTestTimers(), createTestTimers()]
  const traffic = openTraffic({
    ...{ clock, db, log, topics: opened.topics, timers: ticks },
    redact: skipSerializer,
    redactValue: (value) => structuredClone(value),
    ...defined({ sleep: clock.sleep?.bind(clock) }),
  })
  const { events, streams, work, scheduler, upstream: hub } = traffic
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
    ...forHost({ ...opened, ...traffic, ...{ config: running, vault, data, keyValue } }),
    ...storage,
    clock,
    timers: delays,
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
    directory: {
      shippedCatalogue: join(folder, 'catalogue.json'),
      shippedPlugins: join(folder, 'directory'),
      keptCatalogue: join(folder, 'plugin-catalogue.json'),
      catalogueKeys: {},
    },
    npmRegistry: () => Promise.reject(new Error('The test host has no npm registry.')),
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
    beforeMigration: async () => {},
    pluginPaths: (plugin) => ({ ...pathsOf(plugin), database: null, compiled: null }),
    restart: () => {},
    streams: {
      ...streams,
      // Injected requests do not disconnect: the response ends with the available data.
      open(request, reply, options) {
        streams.open(request, reply, options)
        setImmediate(() => reply.raw.end())
        return reply
      },
    },
    externalSignIn,
    prelude: {
      gate,
      compilers,
      headersFor: createSecurityHeaders({ config: running, selfSigned: () => false }),
      onAnswer: checkAnswer,
      stored: createStoredAnswers(),
    },
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
