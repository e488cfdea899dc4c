import { Center, Loader, Skeleton, Stack } from '@mantine/core'
import { shell } from '../../texts/en/shell.ts'

/** Instead of what is not known yet: what follows in the page comes after it, so that it does not move. */
export function Pending() {
  return <span className="pending" hidden />
}

/** A spinner, or a list skeleton with `rows`. */
export function Loading({ rows = 0, fullPage = false }: { readonly rows?: number; readonly fullPage?: boolean }) {
  return (
    <div role="status" aria-label={shell.loading} className="pending">
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
