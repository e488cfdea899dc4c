// An npm registry: packuments, tarballs, and publishing, as the npm client and Playhead use it. Faults can be set.
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RegistryFaults {
  /** Answers each request with this status. */
  status?: number
  /** Never answers requests of this kind. */
  hang?: 'packument' | 'tarball'
  /** Changes the bytes of tarballs. */
  tamper?: (bytes: Buffer) => Buffer
  /** Changes packuments. */
  describe?: (packument: any) => unknown
  /** Redirects tarballs. */
  redirect?: string
  /** Cuts the connection in the middle of a tarball. */
  cut?: boolean
}

export type NpmRegistryServer = Awaited<ReturnType<typeof startNpmRegistry>>

export async function startNpmRegistry() {
  const packages = new Map<
    string,
    { tags: Record<string, string>; versions: Map<string, { meta: any; bytes: Buffer }> }
  >()
  const requests: { method: string; path: string; headers: IncomingMessage['headers'] }[] = []
  const faults: RegistryFaults = {}

  const server = createServer((request, response) => {
    void answer(request, response).catch((error: Error) => response.writeHead(500).end(error.message))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  function put(name: string, meta: any, bytes: Buffer, tag = 'latest'): void {
    const known = packages.get(name) ?? { tags: {} as Record<string, string>, versions: new Map() }
    known.tags[tag] = meta.version
    known.versions.set(meta.version, { meta, bytes })
    packages.set(name, known)
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(new URL(request.url ?? '/', url).pathname).slice(1)
    requests.push({ method: request.method ?? 'GET', path, headers: request.headers })
    if (faults.status !== undefined) return void response.writeHead(faults.status).end()
    if (request.method === 'PUT') return publish(path, request, response)
    const tarball = /^(.+)\/-\/(.+)\.tgz$/.exec(path)
    if (tarball === null) {
      if (faults.hang === 'packument') return
      const found = packages.get(path)
      if (found === undefined) return void response.writeHead(404).end('{"error":"not_found"}')
      const packument = {
        name: path,
        'dist-tags': found.tags,
        versions: Object.fromEntries(
          [...found.versions].map(([version, { meta, bytes }]) => [
            version,
            {
              ...meta,
              dist: {
                tarball: `${url}/${path}/-/${path.split('/').at(-1)}-${version}.tgz`,
                shasum: createHash('sha1').update(bytes).digest('hex'),
                integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
              },
            },
          ]),
        ),
      }
      response.writeHead(200, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify(faults.describe?.(packument) ?? packument))
    }
    if (faults.hang === 'tarball') return
    if (faults.redirect !== undefined) return void response.writeHead(302, { location: faults.redirect }).end()
    const [, name = '', file = ''] = tarball
    const version = file.slice((name.split('/').at(-1) as string).length + 1)
    const bytes = packages.get(name)?.versions.get(version)?.bytes
    if (bytes === undefined) return void response.writeHead(404).end()
    const sent = faults.tamper?.(bytes) ?? bytes
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': sent.length })
    if (faults.cut !== true) return void response.end(sent)
    response.write(sent.subarray(0, sent.length >> 1), () => response.destroy())
  }

  /** https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md: a document with the tarball as an attachment. */
  async function publish(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const document = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const [[version, meta] = []] = Object.entries<any>(document.versions)
    if (version === undefined || packages.get(name)?.versions.has(version) === true)
      return void response.writeHead(403).end('{"error":"cannot publish over an existing version"}')
    const [attachment] = Object.values<any>(document._attachments)
    put(name, meta, Buffer.from(attachment.data, 'base64'), Object.keys(document['dist-tags'])[0])
    response.writeHead(201).end('{"ok":true}')
  }

  return {
    url,
    requests,
    faults,
    put,
    calm() {
      for (const key of Object.keys(faults)) delete faults[key as keyof RegistryFaults]
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
