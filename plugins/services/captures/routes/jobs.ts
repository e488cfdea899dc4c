// Routes that start captures, show the progress of jobs, and cancel jobs.
import { PlayheadError, type PluginApp, skipSerializer, Type } from '@playhead/sdk'
import { findAccount, readFeature } from '../account.ts'
import type { Parts } from '../parts.ts'
import { capture, type CaptureResult } from '../run/capture.ts'
import { hold } from '../run/hold.ts'
import type { Job, JobOrder, JobResult } from '../run/jobs.ts'
import { CancelAnswer, CreateAnswer, JobAnswer, ProgressAnswer } from './answers.ts'

const Flag = Type.Optional(Type.Boolean())
export const Name = Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Null()]))

/** Fields of requests that start a job. */
export const JobFields = {
  progress_id: Type.Optional(
    Type.Union([Type.String({ maxLength: 200 }), Type.Null()], {
      description: '8 to 64 letters, digits, `_`, `-`. Default: one is made.',
    }),
  ),
  background: Type.Optional(Type.Boolean({ description: 'Answer 202 at once.' })),
  async: Flag,
  async_job: Flag,
}
export interface JobBody {
  readonly progress_id?: string | null
  readonly background?: boolean
  readonly async?: boolean
  readonly async_job?: boolean
}
export const Profile = { instance: Name, instance_id: Name, profile: Name }
export interface ProfileBody {
  readonly instance?: string | null
  readonly instance_id?: string | null
  readonly profile?: string | null
}

const CreateBody = Type.Object(
  {
    provider: Type.String({ maxLength: 200 }),
    ...Profile,
    feature: Type.Optional(
      Type.String({ maxLength: 200, description: 'watchlist, history, ratings, progress, or all (default).' }),
    ),
    label: Type.Optional(Type.Union([Type.String({ maxLength: 500 }), Type.Null()])),
    ...JobFields,
  },
  { additionalProperties: true, title: 'CaptureRequest' },
)
interface CreateOrder extends JobBody, ProfileBody {
  readonly provider: string
  readonly feature?: string
  readonly label?: string | null
}

const ProgressParams = Type.Object({ progress_id: Type.String({ minLength: 1, maxLength: 200 }) })

export function registerJobRoutes(app: PluginApp, parts: Parts): void {
  app.post<{ Body: CreateOrder }>(
    '/api/snapshots/create',
    {
      ...skipSerializer,
      schema: { summary: 'Capture an account', body: CreateBody, response: { 200: CreateAnswer, 202: JobAnswer } },
    },
    async ({ body }, reply) => {
      await parts.ready()
      const named = await findAccount(parts.accounts, body.provider, profileIn(body))
      const feature = readFeature(named, body.feature)
      const features = feature === 'all' ? named.features : [feature]
      const { provider, instance } = named
      const held = hold(parts, named, 'capture', 'Capture of')
      const started = await begin(
        parts,
        { operation: 'capture', provider, instance, feature, features: features.length },
        body,
        held,
        async (job) =>
          toAnswer(
            await capture(parts, { named, feature, features, label: body.label ?? '', trigger: 'manual' }, job),
            job.id,
          ),
      )
      if (isBackground(body)) return reply.code(202).send(queued(started.id))
      const { path: _path, ...answer } = await started.done
      return answer
    },
  )

  app.get<{ Params: { progress_id: string } }>(
    '/api/snapshots/capture-progress/:progress_id',
    {
      ...skipSerializer,
      schema: { summary: 'Progress of a job', params: ProgressParams, response: { 200: ProgressAnswer } },
    },
    async ({ params: { progress_id: id } }) => {
      await parts.ready()
      const progress = await parts.jobs.progress(id)
      const waiting = {
        id,
        ok: false,
        done: false,
        stage: 'waiting',
        percent: 0,
        message: 'The job has not reported yet.',
      }
      return { ok: true, progress: progress ?? waiting }
    },
  )

  app.post<{ Params: { progress_id: string } }>(
    '/api/snapshots/capture-progress/:progress_id/cancel',
    { ...skipSerializer, schema: { summary: 'Cancel a job', params: ProgressParams, response: { 200: CancelAnswer } } },
    async ({ params: { progress_id: id } }) => {
      const cancelled = await parts.jobs.cancel(id)
      if (cancelled === undefined)
        throw new PlayheadError('PLH_NOT_FOUND', 'This job does not exist.', { wire: 'job_not_found' })
      return { ok: true, cancelled }
    },
  )
}

/** Starts a job that holds an account until its end. */
export async function begin(
  { jobs }: Parts,
  order: JobOrder,
  { progress_id: progressId }: JobBody,
  held: Disposable,
  work: (job: Job) => Promise<JobResult>,
) {
  try {
    const chosen = progressId == null || progressId === '' ? {} : { progressId }
    return await jobs.start({ ...order, ...chosen }, async (job) => {
      try {
        return await work(job)
      } finally {
        held[Symbol.dispose]()
      }
    })
  } catch (error) {
    held[Symbol.dispose]()
    throw error
  }
}

export function isBackground(body: JobBody): boolean {
  return body.background === true || body.async === true || body.async_job === true
}

export function queued(id: string) {
  return { ok: true, job: { ok: true, job_id: id, progress_id: id, stage: 'queued' }, progress_id: id }
}

export function profileIn({ instance, instance_id, profile }: ProfileBody): string | null | undefined {
  return [instance, instance_id, profile].find((one) => one != null && one.trim() !== '')
}

function toAnswer({ ok, partial, entry }: CaptureResult, id: string): JobResult {
  const { path, header, stats, children, count, complete, doubt, unreadable } = entry
  const { provider, instance, feature, label, created_at } = header
  return {
    ok,
    ...(partial === true ? { partial, error: 'partial_capture' } : {}),
    path,
    progress_id: id,
    snapshot: {
      ...{ ok, path, provider, instance, feature, label, created_at, stats, count, complete, doubt, unreadable },
      ...(entry.kind === 'bundle' ? { children } : {}),
    },
  }
}
