// File downloads: responses of the service and content made by a page.
import { fetchSignedIn } from './client.ts'
import { toApiError } from './error.ts'

interface DownloadOptions {
  readonly body: unknown
  readonly fileName: string
  /** Called with the number of bytes received so far. */
  readonly onBytes?: (bytes: number) => void
}

/** Downloads the response of a POST with the file name from the response. */
export async function download(path: string, { body, fileName, onBytes }: DownloadOptions): Promise<void> {
  const answer = await fetchSignedIn(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw toApiError({ status: answer.status, body: (await answer.json().catch(() => null)) as unknown })
  const named = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1]
  saveFile(onBytes === undefined ? await answer.blob() : await readCounted(answer, onBytes), named ?? fileName)
}

export function saveFile(content: Blob, fileName: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = fileName
  link.click()
  // The browser has read the content by the next task.
  setTimeout(() => URL.revokeObjectURL(link.href), 0)
}

/** A broken connection fails here, so that half a file is never saved. */
async function readCounted(answer: Response, onBytes: (bytes: number) => void): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for (const reader = answer.body!.getReader(); ; ) {
    const { done, value } = await reader.read()
    if (done) return new Blob(parts, { type: answer.headers.get('content-type') ?? '' })
    parts.push(value)
    bytes += value.byteLength
    onBytes(bytes)
  }
}
