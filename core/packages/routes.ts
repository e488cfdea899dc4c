// The API of plugins that people add, from npm, a file or a folder: fetch, review, accept, update, roll back, remove.
import {
  callerName,
  oneOf,
  optionalBody,
  orNull,
  PlayheadError,
  readUploads,
  Type,
  UPLOADED_FILE,
  uploadedFile,
} from '@playhead/sdk'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { PluginHost } from '../host/host.ts'
import { PluginSummary } from '../host/show/plugin-schemas.ts'
import { LoadError } from '../host/run/fault.ts'
import type { PackageView, Review, StageResult } from './packages.ts'

const access = { auth: 'S', scope: 'admin' } as const
const tags = ['Plugins']
const Params = Type.Object({ id: Type.String({ maxLength: 64 }) })
const Text = Type.String()

const ReviewBody = Type.Object(
  {
    id: Text,
    package: Text,
    version: Text,
    from: orNull(Type.String({ description: 'The live version.' })),
    asks: Type.Array(
      Type.Object({
        ask: Type.String({ description: 'Its kind and value, for example "host api.example.org".' }),
        text: Type.String({ description: 'The same in words.' }),
        new: Type.Boolean({ description: 'The live version does not ask for it.' }),
      }),
    ),
    notes: Type.Array(Text),
  },
  { description: 'What a version asks for. It is not run before it is accepted.' },
)
const PackageBody = Type.Object(
  {
    id: Text,
    package: Text,
    source: Type.Union([Type.Literal('npm'), Type.Literal('file'), Type.Literal('directory')], {
      description:
        'A plugin from a file is updated with a newer file, one of the directory with `POST /api/directory/{id}/install`.',
    }),
    range: Text,
    version: orNull(Text),
    previous: orNull(Text),
    trial: orNull(
      Type.Union([Type.Literal('starting'), Type.Literal('running')], {
        description: 'The version is new: if it fails, the previous one takes its place.',
      }),
    ),
    rolled_back: orNull(
      Type.Object({ version: Text, reason: Text, at: Type.Integer({ description: 'Epoch milliseconds.' }) }),
    ),
    staged: orNull(ReviewBody),
    plugin: orNull(PluginSummary),
  },
  { title: 'PluginPackage' },
)
const One = Type.Object({
  ok: Type.Boolean({ description: 'False if the version did not start; if there was one before, that is live again.' }),
  package: PackageBody,
})
const Staged = Type.Object({
  ok: Type.Boolean(),
  state: Type.Union([Type.Literal('newest'), Type.Literal('review'), Type.Literal('updated')], {
    description: 'newest: nothing to do. review: it waits for a review. updated: it asks for nothing new and is live.',
  }),
  package: PackageBody,
})
const FILE_PATH = '/api/plugin-packages/file'
/** As for packages of a registry. */
const MAX_FILE_BYTES = 20 * 1024 * 1024
const Range = Type.String({ minLength: 1, maxLength: 100, description: 'A version, a range or a tag.' })

const RemoveQuery = Type.Object({
  data: {
    ...oneOf(['keep', 'delete'], 'keep'),
    description:
      'delete: its settings, accounts, databases, files and everything else that it stored are deleted, too. keep: adding it again finds all of it.',
  },
})

const FolderBody = Type.Object({
  ok: Type.Boolean(),
  id: Text,
  name: Text,
  version: Text,
  directory: Text,
  asks: Type.Array(Type.Object({ ask: Text, text: Text })),
  notes: Type.Array(Text),
})

export async function packageRoutes(app: FastifyInstance, { host }: { readonly host: PluginHost }): Promise<void> {
  const { packages, folders } = host
  readUploads(app, { [FILE_PATH]: { maxBytes: MAX_FILE_BYTES } })

  const bodyOf = (view: PackageView, notes?: readonly string[]) => ({
    id: view.id,
    package: view.package,
    source: view.source,
    range: view.range,
    version: view.version,
    previous: view.previous,
    trial: view.trial,
    rolled_back: view.rolledBack,
    staged: view.staged === null ? null : reviewBody(notes === undefined ? view.staged : { ...view.staged, notes }),
    plugin: host.list().find(({ id }) => id === view.id) ?? null,
  })

  async function one(id: string): Promise<PackageView> {
    const view = (await packages.list()).find((known) => known.id === id)
    if (view !== undefined) return view
    throw new PlayheadError('PLH_NOT_FOUND', `There is no plugin "${id}" from an npm package.`, {
      wire: 'plugin_package_unknown',
    })
  }

  /** Reloads plugins according to the registry. */
  async function applied(id: string, wanted: string | null) {
    const ok = await host.applyPackage(id, wanted)
    return { ok, package: bodyOf(await one(id)) }
  }

  const removed = (request: FastifyRequest, takeOut: (id: string) => Promise<void>) =>
    told(async () => {
      const { data } = request.query as { readonly data: 'keep' | 'delete' }
      const by = data === 'delete' ? (callerName(request.caller) ?? 'anonymous') : null
      await host.removePlugin(idOf(request), () => takeOut(idOf(request)), by)
      return { ok: true }
    })

  async function staged(result: StageResult) {
    if (result.state === 'newest') return { ok: true, state: 'newest' as const, package: bodyOf(await one(result.id)) }
    const { id, version, notes } = result.review
    if (result.state === 'review') return { ok: true, state: 'review' as const, package: bodyOf(await one(id), notes) }
    await packages.accept(id, version)
    const { ok, package: found } = await applied(id, version)
    return { ok, state: 'updated' as const, package: found }
  }

  app.get(
    '/api/plugin-packages',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Plugins from npm, with what waits for a review',
        response: { 200: Type.Object({ ok: Type.Boolean(), packages: Type.Array(PackageBody) }) },
      },
    },
    () => told(async () => ({ ok: true, packages: (await packages.list()).map((view) => bodyOf(view)) })),
  )

  app.get(
    '/api/plugin-packages/:id',
    { config: { access }, schema: { tags, summary: 'One plugin from npm', params: Params, response: { 200: One } } },
    (request) => told(async () => ({ ok: true, package: bodyOf(await one(idOf(request))) })),
  )

  app.post(
    '/api/plugin-packages',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Fetches a plugin from npm for a review',
        description:
          'Downloads and checks it. Nothing of it is run before it is accepted; a version that asks for no more than the live one is accepted at once.',
        body: Type.Object({
          package: Type.String({
            minLength: 1,
            maxLength: 314,
            description: 'The name of a package, also with a version, a range or a tag: name@range.',
          }),
        }),
        response: { 200: Staged },
      },
    },
    (request) => told(async () => staged(await packages.stage((request.body as { package: string }).package.trim()))),
  )

  app.post(
    FILE_PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Takes the file of a plugin for a review',
        description:
          'A .tgz, as `playhead plugin pack` and `npm pack` write it. It is checked like a package from npm, and always waits for a review.',
        takes: UPLOADED_FILE,
        response: { 200: Staged },
      },
    },
    (request) => told(async () => staged(await packages.stageFile(Buffer.from(uploadedFile(request))))),
  )

  app.post(
    '/api/plugin-folders',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Adds the plugin in a folder of this machine, switched off',
        description: 'It runs once it is enabled, and loads again when its files change.',
        body: Type.Object({
          folder: Type.String({
            minLength: 1,
            maxLength: 1_000,
            description: "The whole path, or the name of a folder in the data directory's `plugins`.",
          }),
        }),
        response: { 200: FolderBody },
      },
    },
    (request) =>
      told(async () => {
        const review = await folders.add((request.body as { folder: string }).folder.trim())
        await host.rescan()
        return { ok: true, ...review }
      }),
  )

  app.delete(
    '/api/plugin-folders/:id',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Removes a plugin of a folder; the folder stays',
        params: Params,
        querystring: RemoveQuery,
        response: { 200: Type.Object({ ok: Type.Boolean() }) },
      },
    },
    (request) => removed(request, (id) => folders.remove(id)),
  )

  app.post(
    '/api/plugin-packages/:id/accept',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Accepts what a staged version asks for, and makes it live',
        params: Params,
        body: Type.Object({ version: Type.String({ maxLength: 100, description: 'The version of the review.' }) }),
        response: { 200: One },
      },
    },
    (request) =>
      told(async () => {
        const { version } = request.body as { version: string }
        await packages.accept(idOf(request), version)
        return applied(idOf(request), version)
      }),
  )

  app.post(
    '/api/plugin-packages/:id/discard',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Drops a staged version',
        params: Params,
        body: optionalBody(Type.Object({}, { additionalProperties: true })),
        response: { 200: Type.Object({ ok: Type.Boolean() }) },
      },
    },
    (request) =>
      told(async () => {
        await packages.discard(idOf(request))
        return { ok: true }
      }),
  )

  app.post(
    '/api/plugin-packages/:id/update',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Fetches a newer version',
        params: Params,
        body: optionalBody(Type.Object({ range: Type.Optional(Range) })),
        response: { 200: Staged },
      },
    },
    (request) =>
      told(async () => {
        const { range } = (request.body ?? {}) as { range?: string }
        return staged(await packages.stageUpdate(idOf(request), range))
      }),
  )

  app.post(
    '/api/plugin-packages/:id/rollback',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Makes the previous version live again',
        params: Params,
        body: optionalBody(Type.Object({}, { additionalProperties: true })),
        response: { 200: One },
      },
    },
    (request) =>
      told(async () => {
        const { version } = await packages.rollBack(idOf(request))
        return applied(idOf(request), version)
      }),
  )

  app.delete(
    '/api/plugin-packages/:id',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Removes a plugin from npm, from the directory or from a file',
        params: Params,
        querystring: RemoveQuery,
        response: { 200: Type.Object({ ok: Type.Boolean() }) },
      },
    },
    (request) => removed(request, (id) => packages.remove(id)),
  )
}

function idOf(request: { readonly params: unknown }): string {
  return (request.params as { id: string }).id
}

function reviewBody({ asks, ...review }: Review) {
  return { ...review, asks: asks.map(({ ask, text, isNew }) => ({ ask, text, new: isNew })) }
}

/** Errors of the loader as responses. */
export async function told<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof LoadError) throw new PlayheadError(error.code, error.message, { cause: error })
    throw error
  }
}
