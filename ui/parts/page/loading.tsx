import { Center, Loader, Skeleton, Stack } from '@mantine/core'
import { shell } from '../../texts/en/shell.ts'

/** A spinner, or a list skeleton with `rows`. */
export function Loading({ rows = 0, fullPage = false }: { readonly rows?: number; readonly fullPage?: boolean }) {
  return (
    <div role="status" aria-label={shell.loading}>
      {rows > 0 ? (
        <Stack gap="xs">
          {Array.from({ length: rows }, (_, row) => row).map((row) => (
            <Skeleton key={row} h={44} />
          ))}
        </Stack>
      ) : (
        <Center mih={fullPage ? '100vh' : 160}>
          <Loader />
        </Center>
      )}
    </div>
  )
}
