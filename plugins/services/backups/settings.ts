import { type Static, Type } from '@playhead/sdk'

export const BackupSettings = Type.Object({
  max_archive_mib: Type.Integer({
    default: 2_048,
    minimum: 1,
    maximum: 1_048_576,
    title: 'Maximum backup size (MiB)',
    description: 'Larger backups cannot be uploaded or restored. Backups that Playhead creates may have any size.',
  }),
  max_unpacked_mib: Type.Integer({
    default: 10_240,
    minimum: 1,
    maximum: 1_048_576,
    title: 'Maximum unpacked size (MiB)',
    description:
      'Uploaded backups with larger contents are not restored. No backup may use more than half of the free disk space.',
  }),
})
export type BackupSettings = Static<typeof BackupSettings>
