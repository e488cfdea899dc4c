// Connects the plugin host to the core's services.
import { join } from 'node:path'
import type { HealthFact } from '@playhead/sdk'
import { systemClock } from '../clock.ts'
import type { RunningConfig } from '../config/service.ts'
import { systemTimers } from '../clock.ts'
import { readDatabases } from '../storage/database-health.ts'
import { SHARED_FOLDERS } from '../storage/data-directory.ts'
import { createNpmRegistry, readNpmSettings } from '../packages/npm-registry.ts'
import { migrate } from '../storage/migrations.ts'
import { createOwnDatabases } from '../storage/own-database.ts'
import { createPluginFiles } from '../storage/plugin-files.ts'
import { VERSION } from '../version.ts'
import type { HostDependencies } from '../host/dependencies.ts'
import { openShipped } from './load/shipped.ts'
import { createFolderSources } from './load/sources.ts'
import { ROOT } from '../installation.ts'
import type { VitalSigns } from '../events/vital-signs.ts'
import type { Services } from '../services.ts'

interface HostPartsOptions {
  readonly services: Services
  readonly prelude: HostDependencies['prelude']
  readonly vitalSigns: VitalSigns
  readonly startedAtMs: number
  readonly restart: (reason: string) => void
  /** For the address of the npm registry, and for variables in .npmrc. */
  readonly npmVariables: Readonly<Record<string, string | undefined>>
  /** Default: the registry beside package.json. */
  readonly bundledRegistry?: string
}

export function hostDependencies({
  services,
  prelude,
  vitalSigns,
  startedAtMs,
  restart,
  npmVariables,
  bundledRegistry = join(ROOT, 'plugin-registry.json'),
}: HostPartsOptions): HostDependencies {
  const { directory, logging, config, events, streams, scheduler, auth, redactor } = services
  const { vault, database, keyValue, upstream, channels, publicNames, work, upgrade, diskWatch } = services
  const { log } = logging
  const directories = {
    bundledRegistry,
    userRegistry: directory.pluginRegistry,
    packages: directory.installedPlugins,
    compiled: directory.compiledPlugins,
    run: directory.run,
  }
  return {
    clock: systemClock,
    timers: systemTimers,
    log,
    pluginLogger: logging.forPlugin,
    redact: redactor.redact,
    version: VERSION,
    startedAtMs,
    dataEpoch: directory.epoch,
    isNewData: directory.isNew,
    hasLostRows: directory.restore.outcome?.lostRows === true,
    directories,
    sources: createFolderSources(directories, openShipped(directory.run)),
    npmRegistry: async () => createNpmRegistry({ settings: await readNpmSettings(directory.path, npmVariables) }),
    config,
    vault,
    database: database.db,
    migrate: async (owner, migrations, parts) =>
      void (await migrate(
        database.db,
        owner,
        migrations,
        systemClock,
        () => upgrade.beforeMigration(directory.database),
        { ...parts, file: directory.database },
      )),
    keyValue: keyValue,
    ownDatabases: createOwnDatabases({
      dataDirectory: directory,
      clock: systemClock,
      beforeMigration: upgrade.beforeMigration,
    }),
    beforeMigration: upgrade.beforeMigration,
    pluginPaths: (plugin) => ({
      database: directory.database,
      ownDatabases: directory.pluginDatabases(plugin),
      files: directory.pluginFiles(plugin),
      shared: Object.fromEntries(SHARED_FOLDERS.map((name) => [name, directory.shared(name)])),
      compiled: directory.compiledPlugins,
    }),
    databaseFolder: (plugin) => directory.pluginDatabases(plugin),
    files: (pluginId, needs) => createPluginFiles({ dataDirectory: directory, pluginId, needs }),
    data: services.data,
    restart,
    events,
    streams,
    work,
    externalSignIn: auth.externalSignIn,
    scheduler,
    upstream: upstream,
    prelude,
    logChannels: () => channels.list(),
    process: () => vitalSigns.process(),
    health: async () => [
      ...(await vitalSigns.read()),
      await diskWatch.read(),
      configurationHealth(config),
      await readDatabases({
        db: database.db,
        files: [directory.database, directory.keyValue],
        pluginFolder: directory.databases,
      }),
    ],
    setPublicNames: (names) => {
      publicNames.current = names
    },
    setLogChannels: (declared) => channels.setDeclaredChannels(declared),
  }
}

function configurationHealth(config: RunningConfig): HealthFact {
  const { available, corrupt, restoredFromLastGood, warnings } = config.status()
  const ok = available && !corrupt
  return {
    name: 'configuration',
    ok,
    detail: { corrupt, restored_from_last_good: restoredFromLastGood, warnings: warnings.length },
    ...(ok ? {} : { advice: 'The settings cannot be read. Correct config.json, or restore a backup of it.' }),
  }
}
