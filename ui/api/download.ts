// Files that the browser keeps: answers of the service, and what a page has made itself.
import { fetchSignedIn } from './client.ts'
import { ApiError } from './error.ts'

/** Downloads the answer to a POST under the name that the service gives it. */
export async function download(
  path: string,
  { body, fileName }: { readonly body: unknown; readonly fileName: string },
): Promise<void> {
  const answer = await fetchSignedIn(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok)
    throw new ApiError({ status: answer.status, body: (await answer.json().catch(() => null)) as unknown })
  const named = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1]
  saveFile(await answer.blob(), named ?? fileName)
}

export function saveFile(content: Blob, fileName: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = fileName
  link.click()
  // The browser has taken the content over by the next turn.
  setTimeout(() => URL.revokeObjectURL(link.href), 0)
}
