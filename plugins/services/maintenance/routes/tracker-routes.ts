// Routes of Playhead's own tracker: its data, export, import and clearing, one profile at a time.
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import {
  oneOf,
  PlayheadError,
  type PluginApp,
  readUploads,
  type Remote,
  savedUpload,
  type Static,
  type TrackerStore,
  Type,
  UPLOADED_FILE,
} from '@playhead/sdk'
import type { Parts } from '../parts.ts'
import { confirmationRequired } from '../run/perform.ts'
import { FEATURES, type ImportPlan, MAX_UPLOAD_BYTES, type TrackerFeature } from '../tracker/format.ts'
import type { TrackerWork } from '../tracker/thread.ts'
import { isoOf, Meta, Summary } from './answers.ts'

const IMPORT = '/api/maintenance/svc-tracker/import'
const ROOT = 'database.sqlite'
/** The provider id of the tracker. */
const PROVIDER = 'SVC'
const RESERVE_BYTES = 64_000_000

interface Uploaded {
  readonly path: string
  /** The profile as the client sent it. */
  readonly name: string
}

const ProfileQuery = Type.Object(
  { provider_instance: Type.Optional(Type.String({ maxLength: 100, description: 'Default `default`.' })) },
  { additionalProperties: true },
)
const ExportQuery = Type.Object(
  { ...ProfileQuery.properties, profile: Type.Optional(oneOf(['all'])) },
  { additionalProperties: true },
)
const ImportQuery = Type.Object(
  {
    ...ProfileQuery.properties,
    filename: Type.Optional(
      Type.String({ maxLength: 300, description: 'Name of a single JSON file. Default: the one of the upload.' }),
    ),
    from: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'Whose rows of an export of all profiles. Default: `provider_instance`.',
      }),
    ),
    dry_run: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: true },
)
const ClearBody = Type.Object(
  {
    clear_state: Type.Optional(Type.Boolean({ description: 'Default true.' })),
    clear_snapshots: Type.Optional(Type.Boolean({ description: 'Default false.' })),
    provider_instance: Type.Optional(Type.String({ maxLength: 100 })),
    dry_run: Type.Optional(Type.Boolean()),
    confirm: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: true },
)
const StateFile = Type.Composite([Meta, Type.Object({ rows: Type.Integer() })])
const Files = {
  state_files: Type.Array(StateFile),
  snapshots: Type.Array(Meta),
  counts: Type.Object({ state_files: Type.Integer(), snapshots: Type.Integer() }),
}
const Inventory = Type.Object(Files)
type Inventory = Static<typeof Inventory>

export function registerTrackerRoutes(app: PluginApp, parts: Parts): void {
  const { ctx, data, states, performer } = parts
  const thread = ctx.startThread<TrackerWork>('tracker/thread.ts').work
  let importing = false
  let uploads = 0
  readUploads(app, {
    [IMPORT]: {
      maxBytes: MAX_UPLOAD_BYTES,
      async save(source, name): Promise<Uploaded> {
        const path = `import-${ctx.generation}-${(uploads += 1)}`
        await data.scratchFiles.writeStream(path, source)
        return { path, name }
      },
      discard: (file) => data.scratchFiles.remove(file as string),
    },
  })

  app.get(
    '/api/maintenance/svc-tracker',
    {
      schema: {
        summary: "The data of Playhead's own tracker",
        querystring: ProfileQuery,
        response: {
          200: Type.Object({
            ok: Type.Boolean(),
            provider_instance: Type.String(),
            root: Type.String(),
            exists: Type.Boolean(),
            ...Files,
          }),
        },
      },
    },
    async ({ query }) => {
      const { tracker, instance } = await profileOf(query as Static<typeof ProfileQuery>)
      const inventory = await inventoryOf(tracker, instance)
      return {
        ...{ ok: true, provider_instance: instance, root: ROOT, ...inventory },
        exists: inventory.state_files.some(({ rows }) => rows > 0),
      }
    },
  )

  app.get(
    '/api/maintenance/svc-tracker/export',
    {
      schema: {
        summary: 'The rows of a profile of the tracker, or of all profiles, as a ZIP archive',
        querystring: ExportQuery,
        produces: ['application/zip'],
        response: { 200: { type: 'string', format: 'binary', description: 'A ZIP archive.' } },
      },
      serializerCompiler: () => (value: unknown) => value as string,
    } as never,
    async (request, reply) => {
      const query = request.query as Static<typeof ExportQuery>
      const { tracker, instance } = await profileOf(query)
      const isAll = query.profile === 'all'
      const instances = isAll ? await tracker.profiles() : [instance]
      const chunks = await thread.export({ instances, isAll, version: ctx.host.version, nowMs: Date.now() })
      return reply
        .type('application/zip')
        .header('content-disposition', 'attachment; filename="svc-tracker.zip"')
        .header('x-content-type-options', 'nosniff')
        .header('cache-control', 'no-store')
        .send(Readable.from(chunks as AsyncIterable<Uint8Array>, { objectMode: false }))
    },
  )

  app.post(
    IMPORT,
    {
      schema: {
        summary: 'Replace rows of a profile of the tracker by those of an export, or of one of its files',
        querystring: ImportQuery,
        takes: UPLOADED_FILE,
        body: Type.Object({}, { additionalProperties: true }),
        response: {
          200: Type.Object({
            ok: Type.Boolean(),
            dry_run: Type.Boolean(),
            provider_instance: Type.String(),
            mode: oneOf(['zip', 'json']),
            target: Type.Optional(oneOf(['state'])),
            kind: Type.Optional(Type.String({ description: 'The feature of a single file.' })),
            name: Type.Optional(Type.String({ description: 'Name of a single file.' })),
            files: Type.Integer(),
            overwritten: Type.Integer(),
            states: Type.Integer(),
            snapshots: Type.Integer({ description: 'That the profile did not have.' }),
            skipped: Type.Array(Type.String({ description: 'Snapshots that are not imported.' })),
            rows: Type.Record(Type.String(), Type.Integer(), { description: 'By feature.' }),
            sync_state: Summary,
            advice: oneOf(['dry_run']),
          }),
        },
      },
    },
    async (request) => {
      const query = request.query as Static<typeof ImportQuery>
      const upload = savedUpload<Uploaded>(request)
      await using _upload = { [Symbol.asyncDispose]: async () => void (await data.scratchFiles.remove(upload.path)) }
      const { tracker, instance } = await profileOf(query)
      if (importing)
        throw new PlayheadError('PLH_CONFLICT', 'Another import is in progress. Try again when it has ended.', {
          wire: 'busy',
          details: { holder: 'maintenance' },
        })
      importing = true
      try {
        const plan = await thread.open({
          file: join(await data.scratch(), upload.path),
          name: query.filename ?? upload.name,
          profile: query.from ?? instance,
        })
        const features = plan.files.map(({ feature }) => feature)
        if (new Set(features).size < features.length)
          throw new PlayheadError('PLH_INVALID', 'A feature is there twice. Nothing was changed.', {
            wire: 'invalid_import',
          })
        const before = await inventoryOf(tracker, instance)
        const rows = Object.fromEntries(plan.files.map((file) => [file.feature, file.rows]))
        const overwritten = before.state_files.filter(
          ({ name, rows: old }) => old > 0 && features.includes(name.replace('.json', '') as TrackerFeature),
        ).length
        // An existing name refers to the same snapshot.
        const names = new Set(before.snapshots.map(({ name }) => name))
        const snapshots = plan.files.flatMap((file) => file.snapshots.map(({ name }) => `${name}-${file.feature}.json`))
        const known = snapshots.filter((name) => names.has(name))
        const answer = {
          ...{ ok: true, provider_instance: instance, mode: plan.mode, files: plan.files.length, overwritten, rows },
          ...{ states: plan.files.length, snapshots: snapshots.length - known.length },
          ...{ skipped: [...plan.skipped, ...known], advice: 'dry_run' as const },
          ...(plan.mode === 'zip' ? {} : { target: 'state' as const, kind: features[0]!, name: plan.files[0]!.name }),
        }
        if (query.dry_run === true)
          return { ...answer, dry_run: true, sync_state: await forgotten(instance, 'preview') }
        const staged = await stage(tracker, instance, plan)
        try {
          const synced = await replaceAlone(
            instance,
            'The import into the tracker',
            ['tracker', 'svc-tracker-import'],
            () => tracker.endImport(staged),
          )
          return { ...answer, dry_run: false, sync_state: synced }
        } catch (error) {
          await tracker.dropImport(staged)
          throw error
        }
      } finally {
        importing = false
        await thread.close()
      }
    },
  )

  app.post(
    '/api/maintenance/svc-tracker/clear',
    {
      schema: {
        summary: 'Remove the rows of a profile of the tracker, or its snapshots',
        body: ClearBody,
        response: {
          200: Type.Object({
            ok: Type.Boolean(),
            dry_run: Type.Boolean(),
            provider_instance: Type.String(),
            root: Type.String(),
            removed: Type.Object({ state_files: Type.Array(Type.String()), snapshots: Type.Array(Type.String()) }),
            before: Inventory,
            after: Inventory,
            summary: Summary,
            sync_state: Summary,
            advice: oneOf(['dry_run']),
          }),
        },
      },
    },
    async ({ body }) => {
      const asked = body as Static<typeof ClearBody>
      const {
        clear_state: rows = true,
        clear_snapshots: snapshots = false,
        dry_run: dryRun = false,
        confirm = false,
      } = asked
      const { tracker, instance } = await profileOf(asked)
      const before = await inventoryOf(tracker, instance)
      const going = {
        state_files: rows ? before.state_files.filter((file) => file.rows > 0).map(({ name }) => name) : [],
        snapshots: snapshots ? before.snapshots.map(({ name }) => name) : [],
      }
      const summary = (items: number) => ({ ...NOTHING, removed_items: items })
      const count =
        (rows ? before.state_files.reduce((total, file) => total + file.rows, 0) : 0) + going.snapshots.length
      const common = {
        ok: true,
        provider_instance: instance,
        root: ROOT,
        removed: going,
        before,
        advice: 'dry_run' as const,
      }
      const forgets = going.state_files.length > 0
      if (dryRun)
        return {
          ...{ ...common, dry_run: true, after: before, summary: summary(count) },
          sync_state: forgets ? await forgotten(instance, 'preview') : NOTHING,
        }
      if (!confirm) throw confirmationRequired()
      const clear = () => tracker.clear(instance, { features: FEATURES, rows, snapshots })
      const names = ['tracker', 'svc-tracker-clear']
      const synced = forgets
        ? await replaceAlone(instance, 'The clearing of the tracker', names, clear)
        : await alone(names, clear)
      return {
        ...common,
        ...{ dry_run: false, after: await inventoryOf(tracker, instance), summary: summary(count), sync_state: synced },
      }
    },
  )

  async function stage(tracker: Remote<TrackerStore>, instance: string, { files }: ImportPlan): Promise<string> {
    await checkRoom(data.path)
    const id = await tracker.beginImport(
      instance,
      files.map(({ feature }) => feature),
      Object.fromEntries(files.map(({ feature, snapshots }) => [feature, snapshots])),
    )
    try {
      for await (const { feature, rows } of thread.pages()) {
        await checkRoom(data.path)
        await tracker.addToImport(id, feature, rows)
      }
    } catch (error) {
      await tracker.dropImport(id)
      throw error
    }
    return id
  }

  async function alone(names: readonly string[], work: () => Promise<unknown>): Promise<Static<typeof Summary>> {
    using _hold = ctx.work.begin({
      kind: 'maintenance',
      label: 'The clearing of snapshots of the tracker',
      exclusive: true,
    })
    await states.follow(names, async () => void (await work()))
    return NOTHING
  }

  /**
   * A person did not remove the rows that disappear here. Pairs of the tracker forget their synced state first, so that the next run
   * adds and links, and removes nothing elsewhere.
   */
  async function replaceAlone(
    instance: string,
    label: string,
    names: readonly string[],
    work: () => Promise<unknown>,
  ): Promise<Static<typeof Summary>> {
    using _hold = ctx.work.begin({ kind: 'maintenance', label, exclusive: true })
    return await states.follow(names, async () => {
      const synced = await forgotten(instance, 'run')
      await work()
      ctx.log.channel('MAINTENANCE').info({ instance }, label)
      return synced
    })
  }

  async function forgotten(instance: string, how: 'preview' | 'run'): Promise<Static<typeof Summary>> {
    const { action } = await performer.find('sync-state')
    const known = await parts.isKnownAccount(PROVIDER, instance)
    const { touches } = known ? await action[how]({ provider: PROVIDER, instance }) : { touches: [] }
    return { ...NOTHING, removed_items: touches.reduce((sum, { items }) => sum + items, 0) }
  }

  async function profileOf({ provider_instance: given = '' }: { readonly provider_instance?: string }) {
    const tracker = parts.tracker()
    if (tracker === undefined)
      throw new PlayheadError('PLH_NOT_READY', 'The plugin of the tracker is not running.', {
        wire: 'tracker_unavailable',
      })
    const instance = given.trim() === '' || given.trim().toLowerCase() === 'default' ? 'default' : given.trim()
    if (!(await tracker.profiles()).includes(instance))
      throw new PlayheadError('PLH_NOT_FOUND', `The tracker has no profile ${JSON.stringify(instance)}.`, {
        wire: 'unknown_instance',
      })
    return { tracker, instance }
  }
}

/** Reserves space: staged rows can only be deleted if SQLite can write. */
async function checkRoom(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize >= RESERVE_BYTES) return
  const free = Math.floor((bavail * bsize) / 1e6)
  throw new PlayheadError(
    'PLH_NOT_READY',
    `The disk is nearly full: ${free} MB are free, and an import needs at least ${RESERVE_BYTES / 1e6} MB. Nothing was changed.`,
    { wire: 'disk_full', status: 507 },
  )
}

const NOTHING: Static<typeof Summary> = { removed_files: 0, removed_items: 0, changed_items: 0, freed_bytes: 0 }

async function inventoryOf(tracker: Remote<TrackerStore>, instance: string): Promise<Inventory> {
  const stats = new Map((await tracker.stats(instance)).map((one) => [one.feature as string, one]))
  const dated = await Promise.all(
    FEATURES.map(async (feature) => ({ feature, snapshots: await tracker.snapshots(instance, feature) })),
  )
  const states = FEATURES.map((feature) => ({
    name: `${feature}.json`,
    size: 0,
    mtime: null,
    rows: stats.get(feature)?.rows ?? 0,
  }))
  const snapshots = dated.flatMap(({ feature, snapshots: of }) =>
    of.map(({ name, atMs }) => ({ name: `${name}-${feature}.json`, size: 0, mtime: isoOf(atMs) })),
  )
  return {
    state_files: states,
    snapshots,
    counts: { state_files: states.filter(({ rows }) => rows > 0).length, snapshots: snapshots.length },
  }
}
