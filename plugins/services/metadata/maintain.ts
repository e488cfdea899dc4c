// The maintenance action of the metadata plugin: its records and pictures.
import type { FileArea, MaintenanceAction, MaintenanceTouch } from '@playhead/sdk'
import type { Cache } from './cache.ts'

const PICTURES = 'art'

interface Picture {
  readonly path: string
  readonly bytes: number
}

export function clearCache(cache: Pick<Cache, 'count' | 'clear'>, files: FileArea): MaintenanceAction {
  const records = (items: number): readonly MaintenanceTouch[] =>
    items === 0 ? [] : [{ path: 'database.sqlite', table: 'metadata__records', label: 'records', op: 'delete', items }]
  const file = ({ path, bytes }: Picture): MaintenanceTouch => ({
    path: `files/cache/${path}`,
    label: 'pictures',
    op: 'delete',
    items: 1,
    bytes,
  })
  return {
    describe: () => ({
      title: 'Clear the metadata cache',
      note: 'Deletes stored titles, details and posters from TMDB. They are downloaded again when they are shown.',
      group: 'cache',
      losesData: false,
      backupFirst: false,
      alone: false,
    }),
    async preview() {
      return { touches: [...records(await cache.count()), ...(await picturesBelow(files, PICTURES)).map(file)] }
    },
    async run() {
      const pictures = await picturesBelow(files, PICTURES)
      // Fails before anything is deleted if the disk is full or read-only.
      if (pictures.length > 0) await files.write(`${PICTURES}/.clearing`, 'x')
      const touches: MaintenanceTouch[] = [...records(await cache.clear())]
      for (const picture of pictures) if (await files.remove(picture.path)) touches.push(file(picture))
      await files.remove(PICTURES)
      return { touches }
    },
  }
}

async function picturesBelow(files: FileArea, folder: string): Promise<readonly Picture[]> {
  if ((await files.stat(folder))?.isDir !== true) return []
  const found: Picture[] = []
  for (const { name, isDir, size = 0 } of await files.list(folder)) {
    const path = `${folder}/${name}`
    if (isDir) found.push(...(await picturesBelow(files, path)))
    else found.push({ path, bytes: size })
  }
  return found
}
