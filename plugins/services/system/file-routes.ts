// Lists the shared folders of plugins: captures, backups, reports and so on. Names and sizes only.
import { defined, PlayheadError, type PluginApp, type Static, Type } from '@playhead/sdk'

const FilesQuery = Type.Object({
  path: Type.String({ description: 'A folder, relative to the storage; "." lists the shared folders themselves.' }),
})
const Entry = Type.Object({
  name: Type.String(),
  is_dir: Type.Boolean(),
  size: Type.Optional(Type.Integer({ description: 'Bytes; only for files.' })),
})

export function registerFileRoutes(app: PluginApp): void {
  app.get(
    '/api/files',
    {
      schema: { summary: 'Entries of a shared folder', querystring: FilesQuery, response: { 200: Type.Array(Entry) } },
    },
    async (request) => {
      const { path } = request.query as Static<typeof FilesQuery>
      if (path.trim() === '') {
        throw new PlayheadError('PLH_INVALID', 'Give the path of a folder, or "." for the list of shared folders.', {
          wire: 'path_required',
        })
      }
      const entries = await app.playhead.files.listShared(path)
      return entries.map(({ name, isDir, size }) => ({ name, is_dir: isDir, ...defined({ size }) }))
    },
  )
}
