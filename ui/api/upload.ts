// File uploads: one file as the part "file" of a form.
import { at } from './base.ts'
import { fetchSignedIn } from './client.ts'
import { ApiError } from './error.ts'

const SESSION_ENDED = 401

/** Sends a file. Returns the response of the route. */
export async function upload<Answer>(path: string, file: File, signal?: AbortSignal): Promise<Answer> {
  const init = { method: 'POST', body: formOf(file), signal }
  const answer = await fetchSignedIn(path, init)
  const body = (await answer.json().catch(() => null)) as unknown
  if (!answer.ok) throw new ApiError({ status: answer.status, body })
  return body as Answer
}

/** Like `upload`, and reports the sent fraction, 0 to 1, which `fetch` cannot report. */
export function uploadWithProgress<Answer>(
  path: string,
  file: File,
  onShare: (share: number) => void,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const request = new XMLHttpRequest()
  request.open('POST', at(path))
  request.responseType = 'json'
  request.upload.addEventListener('progress', ({ loaded, total }) => onShare(total > 0 ? loaded / total : 0))
  request.addEventListener('error', () => reject(new ApiError({ status: 0 })))
  request.addEventListener('load', () => {
    const { status, response } = request
    // `upload` asks for the sign-in and sends the file again.
    if (status === SESSION_ENDED) resolve(upload<Answer>(path, file))
    else if (status >= 200 && status < 300) resolve(response as Answer)
    else reject(new ApiError({ status, body: response as unknown }))
  })
  request.send(formOf(file))
  return promise
}

function formOf(file: File): FormData {
  const form = new FormData()
  form.append('file', file)
  return form
}
