// File downloads: responses of the service and content made by a page.
import { fetchSignedIn } from './client.ts'
import { toApiError } from './error.ts'

/** Downloads the response of a POST with the file name from the response. */
export async function download(
  path: string,
  { body, fileName }: { readonly body: unknown; readonly fileName: string },
): Promise<void> {
  const answer = await fetchSignedIn(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw toApiError({ status: answer.status, body: (await answer.json().catch(() => null)) as unknown })
  const named = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1]
  saveFile(await answer.blob(), named ?? fileName)
}

export function saveFile(content: Blob, fileName: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = fileName
  link.click()
  // The browser has read the content by the next task.
  setTimeout(() => URL.revokeObjectURL(link.href), 0)
}
