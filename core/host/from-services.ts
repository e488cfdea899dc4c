// Connects the plugin host to the core's services.
import { join } from 'node:path'
import type { HealthFact } from '@playhead/sdk'
import { systemClock, systemTimers } from '../clock.ts'
import type { RunningConfig } from '../config/service.ts'
import { readDatabases } from '../storage/database-health.ts'
import { CATALOGUE_KEYS } from '../packages/catalogue-keys.ts'
import type { DirectoryPlaces } from '../packages/directory.ts'
import { createNpmRegistry, readNpmSettings } from '../packages/npm-registry.ts'
import { migrate } from '../storage/migrations.ts'
import { createPluginStorage } from '../storage/plugin-storage.ts'
import { forHost } from '../parts.ts'
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
  /** Instead of what ships with Playhead. */
  readonly pluginDirectory?: Partial<DirectoryPlaces>
}

export function hostDependencies({
  services,
  prelude,
  vitalSigns,
  startedAtMs,
  restart,
  npmVariables,
  bundledRegistry = join(ROOT, 'plugin-registry.json'),
  pluginDirectory,
}: HostPartsOptions): HostDependencies {
  const { directory, config, auth, database, diskWatch } = services
  const { beforeMigration } = services.upgrade
  const { pathsOf, ...storage } = createPluginStorage({ dataDirectory: directory, clock: systemClock, beforeMigration })
  const directories = {
    bundledRegistry,
    userRegistry: directory.pluginRegistry,
    packages: directory.installedPlugins,
    compiled: directory.compiledPlugins,
    run: directory.run,
  }
  return {
    ...forHost(services),
    ...storage,
    ...{ prelude, restart },
    clock: systemClock,
    timers: systemTimers,
    startedAtMs,
    dataEpoch: directory.epoch,
    isNewData: directory.isNew,
    hasLostRows: directory.restore.outcome?.lostRows === true,
    directories,
    directory: {
      shippedCatalogue: join(ROOT, 'plugins', 'directory', 'catalogue.json'),
      shippedPlugins: join(ROOT, 'plugins', 'directory'),
      keptCatalogue: directory.pluginCatalogue,
      catalogueKeys: CATALOGUE_KEYS,
      ...pluginDirectory,
    },
    sources: createFolderSources(directories, openShipped(directory.run)),
    npmRegistry: async () => createNpmRegistry({ settings: await readNpmSettings(directory.path, npmVariables) }),
    database: database.db,
    migrate: async (owner, migrations, parts) =>
      void (await migrate(database.db, owner, migrations, systemClock, () => beforeMigration(directory.database), {
        ...parts,
        file: directory.database,
      })),
    beforeMigration,
    pluginPaths: (plugin) => ({
      ...pathsOf(plugin),
      database: directory.database,
      compiled: directory.compiledPlugins,
    }),
    externalSignIn: auth.externalSignIn,
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
