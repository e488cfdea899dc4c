// File uploads: one file as the part "file" of a form.
import { fetchSignedIn } from './client.ts'
import { ApiError } from './error.ts'

/** Sends a file of the person's; the answer is that of the route. */
export async function upload<Answer>(path: string, file: File, signal?: AbortSignal): Promise<Answer> {
  const form = new FormData()
  form.append('file', file)
  const answer = await fetchSignedIn(path, { method: 'POST', body: form, ...(signal === undefined ? {} : { signal }) })
  const body = (await answer.json().catch(() => null)) as unknown
  if (!answer.ok) throw new ApiError({ status: answer.status, body })
  return body as Answer
}
