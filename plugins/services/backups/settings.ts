import { type Static, Type } from '@playhead/sdk'

export const BackupSettings = Type.Object({
  max_archive_mib: Type.Integer({
    default: 2_048,
    minimum: 1,
    maximum: 1_048_576,
    title: 'Largest archive (MiB)',
    description: 'Larger ones are neither uploaded nor restored. Those that were made here may have any size.',
  }),
  max_unpacked_mib: Type.Integer({
    default: 10_240,
    minimum: 1,
    maximum: 1_048_576,
    title: 'Largest content (MiB)',
    description:
      'An uploaded backup whose files are larger is not restored. For all of them half of the free space is a limit.',
  }),
})
export type BackupSettings = Static<typeof BackupSettings>
