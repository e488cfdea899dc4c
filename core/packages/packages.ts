// Plugins from npm, from the directory or from a file: fetched and staged, reviewed and accepted, updated and rolled back.
// The registry file is the record of all of it; each step is one atomic change of that file.
import { dirname } from 'node:path'
import { mkdir } from 'node:fs/promises'
import {
  type CatalogueEntry,
  type CatalogueVersion,
  PlayheadError,
  type PackageRelease,
  type PluginManifest,
  type PluginPackage,
  type RegistryEntry,
} from '@playhead/sdk'
import { changeRegistry, readEntries, readRegistries, type RegistryFiles } from '../host/load/registry.ts'
import { asksOf, beyond, describeAsk, type Ask } from './asks.ts'
import {
  installFiles,
  type InstallPlaces,
  isWhole,
  namesIn,
  sweepReleases,
  unpack,
  type Unpacked,
  type Wanted,
} from './install.ts'
import { parseSpec, sha512Of, type NpmRegistry } from './npm-registry.ts'

/** A version of a plugin in the list of the directory. */
type Listed = Pick<CatalogueEntry, 'id'> & Pick<CatalogueVersion, 'version' | 'archive' | 'asks'>

/** Begin the addresses of releases that no registry of packages has: a person uploaded them, or the directory has them. */
const FROM_FILE = 'file:'
const FROM_DIRECTORY = 'directory:'

interface PackagesOptions {
  readonly files: RegistryFiles
  /** Settings are read for each use. */
  readonly npm: () => Promise<NpmRegistry>
  readonly nowMs: () => number
}

export interface Review {
  readonly id: string
  readonly package: string
  readonly version: string
  /** The live version; null before the first. */
  readonly from: string | null
  readonly asks: readonly { readonly ask: Ask; readonly text: string; readonly isNew: boolean }[]
  readonly notes: readonly string[]
}

export type StageResult =
  | { readonly state: 'newest'; readonly id: string; readonly version: string }
  | { readonly state: 'review' | 'ready'; readonly review: Review }

export interface Packages {
  list(): Promise<readonly PackageView[]>
  /**
   * Downloads a version and records it as staged; the live one stays. `ready`: it asks for nothing new, `review`: it
   * waits for a person.
   */
  stage(spec: string): Promise<StageResult>
  /**
   * As `stage`, for a tarball that a person has. It always waits for a review, because no registry vouches for its origin.
   */
  stageFile(tarball: Buffer): Promise<StageResult>
  /**
   * As `stage`, for the archive of a version that the directory lists. Throws PLH_PLUGIN_INTEGRITY: `package_integrity` for
   * other bytes, `listing_differs` for a manifest that asks for something else than the listing says.
   */
  stageListed(archive: Buffer, listed: Listed): Promise<StageResult>
  /**
   * As `stage`, for an installed plugin; a range replaces the stored one. Throws PLH_CONFLICT (`package_from_file`,
   * `package_from_directory`) for others: a package of that name at the registry may be by another author.
   */
  stageUpdate(id: string, range?: string): Promise<StageResult>
  /** Makes the staged version live. The version is that of the review. One that is live stays so. */
  accept(id: string, version: string): Promise<PackageView>
  /** Drops the staged version. */
  discard(id: string): Promise<void>
  /** Makes the previous version live again. */
  rollBack(id: string): Promise<PackageView>
  /** As `rollBack`, while the version is on trial; false if it no longer is. */
  rollBackTrial(id: string, version: string, reason: string): Promise<boolean>
  /** Call it when the live version has started, or has run long enough. */
  noteTrial(id: string, version: string, trial: 'running' | 'over'): Promise<void>
  remove(id: string): Promise<void>
}

export type Source = 'npm' | 'file' | 'directory'

export interface PackageView {
  readonly id: string
  readonly package: string
  /** Where the live version came from; of the staged one before the first review. */
  readonly source: Source
  readonly range: string
  readonly version: string | null
  readonly previous: string | null
  /** Null after the trial. */
  readonly trial: 'starting' | 'running' | null
  readonly rolledBack: NonNullable<PluginPackage['rolledBack']> | null
  readonly staged: Review | null
}

export function createPackages({ files, npm, nowMs }: PackagesOptions): Packages {
  const file = files.userRegistry
  const places: InstallPlaces = { registry: file, packages: files.packages }
  /** Downloads of one process, one after another. */
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }

  async function entryOf(id: string): Promise<RegistryEntry & { readonly package: PluginPackage }> {
    const entry = (await readEntries(file)).find((known) => known.id === id)
    if (entry?.package !== undefined) return entry as never
    throw new PlayheadError('PLH_NOT_FOUND', `There is no plugin "${id}" from an npm package.`, {
      wire: 'plugin_package_unknown',
    })
  }

  /** One atomic change of the entry. */
  async function change(
    id: string,
    work: (found: PluginPackage, entry: RegistryEntry) => RegistryEntry | null,
  ): Promise<void> {
    const before = await entryOf(id)
    await changeRegistry(file, (plugins) =>
      plugins.flatMap((entry) => {
        if (entry.id !== id) return [entry]
        const next = entry.package === undefined ? entry : work(entry.package, entry)
        return next === null ? [] : [next]
      }),
    )
    const after = (await readEntries(file)).find((entry) => entry.id === id)?.package
    const isSame = JSON.stringify(releasesOf(before.package)) === JSON.stringify(releasesOf(after))
    if (!isSame) await sweepReleases(places, id, releasesOf(after), nowMs())
  }

  /** Refuses ids that another registry entry or another package has. */
  async function checkFree(id: string, name: string): Promise<void> {
    const own = (await readEntries(file)).find((entry) => entry.id === id)
    if (own?.package !== undefined && own.package.name !== name)
      throw taken(`The plugin "${id}" is installed from the package ${own.package.name}. Remove it first.`)
    const known = (await readRegistries(files)).plugins.find((plugin) => plugin.id === id)
    if (known !== undefined && known.package === null)
      throw taken(
        known.origin === 'bundled'
          ? `A plugin "${id}" ships with Playhead; a package cannot take its place.`
          : `A plugin "${id}" is registered from ${known.directory}. Remove it first.`,
      )
  }

  async function stageNow(name: string, range: string): Promise<StageResult> {
    const registry = await npm()
    const { version, passedOver } = await registry.choose(name, range)
    const installed = (await readEntries(file)).find((entry) => entry.package?.name === name)
    const live = installed?.package?.live
    const id = installed?.id ?? ''
    if (live?.version === version.version && (await isWhole(file, id, live)))
      return { state: 'newest', id, version: live.version }
    const unpacked = await unpack(await registry.download(version), `${name} ${version.version}`)
    const what = { name, version: version.version, range, address: version.dist.tarball }
    const review = await stageFiles(unpacked, what, [
      ...(passedOver === null ? [] : [`${passedOver} is newer, and needs another version of Playhead`]),
      ...(version.deprecated === undefined || version.deprecated === false
        ? []
        : [`its author calls it deprecated: ${String(version.deprecated).slice(0, 300)}`]),
    ])
    const isReady = sourceOf(live) === 'npm' && live !== undefined && review.asks.every(({ isNew }) => !isNew)
    return { state: isReady ? 'ready' : 'review', review }
  }

  /** Installs the files of a version, and records it as staged. */
  async function stageFiles(
    unpacked: Unpacked,
    wanted: Wanted,
    notes: readonly string[],
    check: (manifest: PluginManifest) => void = () => {},
  ): Promise<Review> {
    const { name, version, address } = wanted
    const installed = (await readEntries(file)).find((entry) => entry.package?.name === name)
    const live = installed?.package?.live
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    const { manifest, release, ...found } = await installFiles(places, unpacked, wanted, async (asked, sha512) => {
      const { id } = asked
      check(asked)
      await checkFree(id, name)
      if (installed !== undefined && installed.id !== id)
        throw taken(`The package ${name} was the plugin "${installed.id}" and is now "${id}". Remove it first.`)
      const known = [live, installed?.package?.previous].find((one) => one?.version === version)
      if (known !== undefined && known.sha512 !== sha512)
        throw new PlayheadError(
          'PLH_PLUGIN_INTEGRITY',
          `${name} ${version} differs from the version that was installed before (${known.sha512}, found ${sha512}). Nothing was installed.`,
          { wire: 'package_integrity' },
        )
    })
    await changeRegistry(file, (plugins) => {
      const known = plugins.find((entry) => entry.id === manifest.id)
      const next: RegistryEntry = { ...known, id: manifest.id, package: { ...known?.package, name, staged: release } }
      return [...plugins.filter((entry) => entry.id !== manifest.id), next].sort((a, b) => (a.id < b.id ? -1 : 1))
    })
    const moved = live !== undefined && sourceOf(live) !== sourceOf({ tarball: address })
    return reviewOf(manifest.id, { ...installed?.package, name, staged: release }, [
      ...found.notes,
      ...notes,
      ...(moved ? [`the version that is live came from ${ORIGINS[sourceOf(live)]}`] : []),
    ]) as Review
  }

  return {
    async list() {
      const entries = await readEntries(file)
      return entries.flatMap(({ id, package: found }) => (found === undefined ? [] : [viewOf(id, found)]))
    },

    stage: (spec) =>
      inTurn(async () => {
        const parsed = parseSpec(spec)
        if (parsed === null)
          throw new PlayheadError('PLH_INVALID', `"${spec}" is not the name of an npm package.`, {
            wire: 'package_name_invalid',
          })
        return stageNow(parsed.name, parsed.range)
      }),

    stageFile: (tarball) =>
      inTurn(async () => {
        const unpacked = await unpack(tarball, 'The file')
        const { name, version } = namesIn(unpacked, 'The file')
        const installed = (await readEntries(file)).find((entry) => entry.package?.name === name)
        const live = installed?.package?.live
        if (live?.sha512 === unpacked.sha512 && (await isWhole(file, installed?.id ?? '', live)))
          return { state: 'newest', id: installed?.id ?? '', version }
        const wanted = { name, version, range: version, address: `${FROM_FILE}${version}` }
        const review = await stageFiles(unpacked, wanted, ['comes from a file: no registry confirms its author'])
        return { state: 'review', review }
      }),

    stageListed: (archive, { id, version, archive: promised, asks }) =>
      inTurn(async () => {
        const what = `${id} ${version}`
        const sha512 = sha512Of(archive)
        if (promised === null || sha512 !== promised.sha512 || archive.length !== promised.size)
          throw new PlayheadError(
            'PLH_PLUGIN_INTEGRITY',
            `The archive of ${what} is not the one of the list (${promised?.sha512}, found ${sha512}). Nothing was installed.`,
            { wire: 'package_integrity' },
          )
        const unpacked = await unpack(archive, what)
        const { name, version: own } = namesIn(unpacked, what)
        const { live } = (await readEntries(file)).find((entry) => entry.id === id)?.package ?? {}
        if (live?.sha512 === sha512 && (await isWhole(file, id, live))) return { state: 'newest', id, version }
        const wanted = { name, version: own, range: version, address: `${FROM_DIRECTORY}${version}` }
        const review = await stageFiles(unpacked, wanted, [], (manifest) => {
          if (manifest.id !== id || own !== version)
            throw differs(`its archive has ${manifest.id} ${own}, and the list names ${what}`)
          const found = asksOf(manifest)
          const hidden = found.filter((ask) => !asks.includes(ask))
          const unused = asks.filter((ask) => !found.includes(ask))
          if (hidden.length > 0)
            throw differs(`${what} asks for what the list does not say: ${hidden.map(describeAsk).join('; ')}`)
          if (unused.length > 0)
            throw differs(`${what} does not ask for what the list says: ${unused.map(describeAsk).join('; ')}`)
        })
        const isReady = live !== undefined && sourceOf(live) === 'directory' && review.asks.every(({ isNew }) => !isNew)
        return { state: isReady ? 'ready' : 'review', review }
      }),

    stageUpdate: (id, range) =>
      inTurn(async () => {
        const { name, live, staged, rolledBack } = (await entryOf(id)).package
        const source = sourceOf(live ?? staged)
        if (source === 'directory')
          throw new PlayheadError(
            'PLH_CONFLICT',
            `"${id}" was installed from the directory of plugins. Update it there.`,
            { wire: 'package_from_directory' },
          )
        if (source === 'file')
          throw new PlayheadError(
            'PLH_CONFLICT',
            `"${id}" was installed from a file. Add the file of the newer version; or remove it, and install ${name} from the registry.`,
            { wire: 'package_from_file' },
          )
        const known = (live ?? staged)?.range ?? 'latest'
        const found = await (await npm()).choose(name, range ?? known)
        // A version that failed is installed again only if it is named.
        if (range === undefined && rolledBack?.version === found.version.version)
          throw new PlayheadError(
            'PLH_CONFLICT',
            `${name} ${rolledBack.version} is the newest, and was rolled back: ${rolledBack.reason} Name the version to try it again.`,
            { wire: 'update_failed_before' },
          )
        return stageNow(name, range ?? known)
      }),

    async accept(id, version) {
      const found = (await entryOf(id)).package
      const { staged } = found
      // Accepted already, by a request at the same time.
      if (staged === undefined && found.live?.version === version) return viewOf(id, found)
      if (staged === undefined || staged.version !== version)
        throw new PlayheadError(
          'PLH_CONFLICT',
          staged === undefined
            ? `No version of "${id}" waits for a review.`
            : `The version of "${id}" that waits for a review is ${staged.version}, not ${version}. Review that one.`,
          { wire: 'review_changed' },
        )
      if (!(await isWhole(file, id, staged)))
        throw new PlayheadError(
          'PLH_PLUGIN_INTEGRITY',
          `The files of ${id} ${version} are not those that were reviewed. Fetch it again.`,
          { wire: 'package_integrity' },
        )
      await change(id, ({ staged: found, live, rolledBack: _, ...rest }, entry) => {
        if (found?.sha512 !== staged.sha512) return entry
        const isAgain = live === undefined || live.sha512 === found.sha512
        return {
          ...entryFor(entry, found),
          enabled: live === undefined ? true : (entry.enabled ?? true),
          package: { ...rest, live: found, ...(isAgain ? {} : { previous: live, trial: 'starting' }) },
        }
      })
      return viewOf(id, (await entryOf(id)).package)
    },

    async discard(id) {
      await change(id, ({ staged: _, ...rest }, entry) =>
        rest.live === undefined ? null : { ...entry, package: rest },
      )
    },

    async rollBack(id) {
      const { previous } = (await entryOf(id)).package
      if (previous === undefined)
        throw new PlayheadError('PLH_CONFLICT', `There is no previous version of "${id}".`, {
          wire: 'nothing_to_roll_back',
        })
      if (!(await isWhole(file, id, previous)))
        throw new PlayheadError(
          'PLH_PLUGIN_INTEGRITY',
          `The files of ${id} ${previous.version} are not those that were installed. Install that version again.`,
          { wire: 'package_integrity' },
        )
      const by = { reason: 'It was rolled back by hand.', at: nowMs() }
      await change(id, ({ trial: _, ...found }, entry) =>
        found.previous === undefined || found.live === undefined
          ? entry
          : {
              ...entryFor(entry, found.previous),
              package: {
                ...found,
                live: found.previous,
                previous: found.live,
                rolledBack: { version: found.live.version, ...by },
              },
            },
      )
      return viewOf(id, (await entryOf(id)).package)
    },

    async rollBackTrial(id, version, reason) {
      let isDone = false
      await change(id, ({ trial, previous, live, ...rest }, entry) => {
        if (trial === undefined || previous === undefined || live?.version !== version) return entry
        isDone = true
        return {
          ...entryFor(entry, previous),
          package: { ...rest, live: previous, rolledBack: { version, reason, at: nowMs() } },
        }
      })
      return isDone
    },

    async noteTrial(id, version, state) {
      await change(id, (found, entry) => {
        if (found.trial === undefined || found.live?.version !== version) return entry
        const { trial: _, ...rest } = found
        return { ...entry, package: state === 'over' ? rest : { ...rest, trial: state } }
      })
    },

    async remove(id) {
      await change(id, () => null)
    },
  }
}

const ORIGINS: Readonly<Record<Source, string>> = { npm: 'the registry', file: 'a file', directory: 'the directory' }

function sourceOf(release: Pick<PackageRelease, 'tarball'> | undefined): Source {
  if (release?.tarball.startsWith(FROM_FILE) === true) return 'file'
  return release?.tarball.startsWith(FROM_DIRECTORY) === true ? 'directory' : 'npm'
}

function differs(text: string): PlayheadError {
  return new PlayheadError('PLH_PLUGIN_INTEGRITY', `${text}. Nothing was installed.`, { wire: 'listing_differs' })
}

function entryFor(entry: RegistryEntry, { folder, integrity }: PackageRelease): RegistryEntry {
  return { ...entry, source: folder, integrity }
}

function releasesOf(found: PluginPackage | undefined): readonly PackageRelease[] {
  return [found?.live, found?.previous, found?.staged].filter((one) => one !== undefined)
}

function reviewOf(id: string, found: PluginPackage, notes: readonly string[] = []): Review | null {
  const { staged, live } = found
  if (staged === undefined) return null
  const added = new Set(live === undefined ? staged.asks : beyond(live.asks, staged.asks))
  return {
    id,
    package: found.name,
    version: staged.version,
    from: live?.version ?? null,
    asks: staged.asks.map((ask) => ({ ask, text: describeAsk(ask), isNew: added.has(ask) })),
    notes,
  }
}

function viewOf(id: string, found: PluginPackage): PackageView {
  return {
    id,
    package: found.name,
    source: sourceOf(found.live ?? found.staged),
    range: (found.live ?? found.staged)?.range ?? 'latest',
    version: found.live?.version ?? null,
    previous: found.previous?.version ?? null,
    trial: found.trial ?? null,
    rolledBack: found.rolledBack ?? null,
    staged: reviewOf(id, found),
  }
}

function taken(text: string): PlayheadError {
  return new PlayheadError('PLH_CONFLICT', text, { wire: 'plugin_id_taken' })
}
