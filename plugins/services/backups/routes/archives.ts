// Routes of backups: list, create, check, restore, download, upload, delete.
import { basename } from 'node:path/posix'
import {
  optionalBody,
  type PluginApp,
  PlayheadError,
  readUploads,
  savedUpload,
  Type,
  UPLOADED_FILE,
} from '@playhead/sdk'
import { type Scope, SCOPES } from '../archive/manifest.ts'
import { archivePath, labelOf, notFound } from '../names.ts'
import type { Backups } from '../service.ts'
import {
  created,
  CreateAnswer,
  DeleteAnswer,
  JobAnswer,
  listed,
  ListAnswer,
  RestoreAnswer,
  StartedAnswer,
  UploadAnswer,
  ValidateAnswer,
} from './answers.ts'

const UPLOAD = '/api/backups/upload'
const MIB = 1024 * 1024
/** Larger backups are created after the response. */
const AT_ONCE_BYTES = 200 * MIB
/** Delay, so that the response arrives before the service ends. */
const RESTART_AFTER_MS = 750

const Flag = Type.Optional(Type.Boolean())
const Passphrase = Type.Optional(Type.String({ minLength: 8, maxLength: 1_024 }))
const Path = Type.String({ minLength: 1, maxLength: 300 })
const CreateBody = Type.Object(
  {
    scope: Type.Optional(Type.String({ description: `${SCOPES.join(', ')}; default app_state` })),
    label: Type.Optional(Type.String({ maxLength: 200 })),
    include_snapshots: Flag,
    include_reports: Flag,
    include_cache: Flag,
    include_key: Type.Optional(
      Type.Boolean({ description: 'Includes the key file of encrypted settings. Default true.' }),
    ),
    pinned: Type.Optional(Type.Boolean({ description: 'Retention never deletes it.' })),
    passphrase: Passphrase,
  },
  { title: 'BackupRequest' },
)
const WithPath = Type.Object({ path: Path })
const WithPassphrase = Type.Object({ path: Path, passphrase: Type.Optional(Type.String({ maxLength: 1_024 })) })
const RestoreBody = Type.Object({ ...WithPassphrase.properties, restart: Flag })

const ZipFile = {
  description: 'The archive. It may hold keys: keep it secret.',
  content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } },
}

export function registerArchiveRoutes(app: PluginApp, backups: Backups): void {
  const ctx = app.playhead
  const folder = ctx.files.shared('backups')

  app.get(
    '/api/backups/list',
    { schema: { summary: 'All backups, newest first', response: { 200: ListAnswer } } },
    async () => ({ ok: true as const, backups: (await backups.list()).map(listed) }),
  )

  app.post<{ Body: typeof CreateBody.static | null }>(
    '/api/backups/create',
    {
      schema: {
        summary: 'Make a backup. More than 200 MiB are packed after the answer: see /api/backups/job',
        body: optionalBody(CreateBody),
        response: { 200: CreateAnswer, 202: StartedAnswer },
      },
    },
    async (request, reply) => {
      const { scope: wanted = 'app_state', label = '', passphrase, ...flags } = request.body ?? {}
      const scope = scopeOf(wanted)
      const order = { ...flags, scope, label: labelOf(label), trigger: 'manual', passphrase }
      const making = backups.create(order)
      // The job reports a failure.
      making.catch(() => {})
      const isSmall = (await backups.estimate(scope, flags)) <= AT_ONCE_BYTES
      if (isSmall) return { ok: true as const, backup: created(await making, passphrase !== undefined) }
      // Conflicts are reported at once.
      await Promise.race([making, new Promise((resolve) => setImmediate(resolve))])
      const job = backups.job()
      if (job === null) return { ok: true as const, backup: created(await making, passphrase !== undefined) }
      return reply.status(202).send({ ok: true as const, job })
    },
  )

  app.get(
    '/api/backups/job',
    { schema: { summary: 'The running backup or restore, or the last one', response: { 200: JobAnswer } } },
    () => ({ ok: true as const, job: backups.job() }),
  )

  app.get<{ Querystring: { path: string } }>(
    '/api/backups/download',
    { schema: { summary: 'Download a backup', querystring: WithPath, response: { 200: ZipFile } } },
    async (request, reply) => {
      const path = archivePath(request.query.path)
      const { size } = await backups.find(path)
      const stream = await folder.readStream(path).catch(() => {
        throw notFound()
      })
      ctx.log.info({ path }, 'a backup is downloaded')
      return reply
        .type('application/zip')
        .header('content-length', String(size))
        .header('content-disposition', `attachment; filename="${basename(path).replaceAll(/[^\w.-]/g, '_')}"`)
        .header('cache-control', 'no-store')
        .header('x-content-type-options', 'nosniff')
        .send(stream)
    },
  )

  app.post<{ Body: typeof WithPassphrase.static }>(
    '/api/backups/validate',
    {
      schema: {
        summary: 'Check every byte of a backup, and whether it can be restored here',
        body: WithPassphrase,
        response: { 200: ValidateAnswer },
      },
    },
    async ({ body }) => ({
      ok: true as const,
      validation: await backups.validate(archivePath(body.path), body.passphrase),
    }),
  )

  app.post<{ Body: typeof RestoreBody.static }>(
    '/api/backups/restore',
    {
      schema: {
        summary: 'Restore a backup with the next start; makes a backup of what is replaced first',
        body: RestoreBody,
        response: { 200: RestoreAnswer },
      },
    },
    async ({ body }, reply) => {
      const path = archivePath(body.path)
      const result = await backups.restore(path, body.passphrase)
      if (body.restart === true)
        reply.raw.once('close', () => setTimeout(() => ctx.data().restart(`restore of ${path}`), RESTART_AFTER_MS))
      return {
        ok: true as const,
        result: {
          ok: true as const,
          path,
          pre_restore_backup: result.pre_restore_backup,
          restored: result.restored,
          errors: [],
          warnings: result.warnings,
          restart_required: true as const,
          restart_scheduled: body.restart === true,
          login_required: true as const,
        },
      }
    },
  )

  app.post<{ Body: typeof WithPath.static }>(
    '/api/backups/delete',
    { schema: { summary: 'Delete a backup', body: WithPath, response: { 200: DeleteAnswer } } },
    async ({ body }) => {
      const path = archivePath(body.path)
      await backups.remove(path)
      return { ok: true as const, result: { ok: true as const, deleted: [path] } }
    },
  )

  let uploads = 0
  readUploads(app, {
    [UPLOAD]: {
      // Read at each request, because it may change.
      get maxBytes() {
        return backups.limits().archiveBytes
      },
      async save(source, name) {
        if (!name.toLowerCase().endsWith('.zip'))
          throw new PlayheadError('PLH_INVALID', 'The name of a backup ends with .zip.', { wire: 'invalid_path' })
        const path = `upload-${ctx.generation}-${(uploads += 1)}.zip`
        await ctx.data().scratchFiles.writeStream(path, source)
        return path
      },
      discard: (file) => ctx.data().scratchFiles.remove(file as string),
    },
  })
  app.post(
    UPLOAD,
    {
      schema: {
        summary: 'Upload a backup as the part "file" of a multipart/form-data body',
        takes: UPLOADED_FILE,
        body: Type.Object({}, { additionalProperties: true }),
        response: { 200: UploadAnswer },
      },
    },
    async (request) => {
      const file = tooLargeIsNamed(() => savedUpload<string>(request))
      try {
        const { path, report } = await backups.takeIn(file)
        return { ok: true as const, backup: { ok: true as const, path, validation: report } }
      } finally {
        await ctx.data().scratchFiles.remove(file)
      }
    },
  )
}

function scopeOf(text: string): Scope {
  const scope = SCOPES.find((one) => one === text)
  if (scope !== undefined) return scope
  throw new PlayheadError('PLH_INVALID', `A backup has one of the scopes ${SCOPES.join(', ')}.`, {
    wire: 'invalid_scope',
  })
}

function tooLargeIsNamed<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if ((error as PlayheadError).status !== 413) throw error
    throw new PlayheadError('PLH_INVALID', 'The file is larger than the setting "Maximum backup size" allows.', {
      wire: 'upload_too_large',
      status: 413,
    })
  }
}
