// Search with filters beside it; on a phone the filters are in a drawer.
import { Button, Drawer, Group, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconFilter, IconSearch } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { parts } from '../../texts/en/parts.ts'
import { usePhone } from '../page/use-phone.ts'
import { say } from '../../texts/say.ts'

export interface FilterPanelProps {
  readonly texts: { readonly search: string; readonly done: string; readonly clear: string }
  readonly search: string
  readonly onSearch: (text: string) => void
  /** How many filters are set, the search not counted. */
  readonly set: number
  readonly onClear: () => void
  /** Always beside the search. */
  readonly aside?: ReactNode
  readonly children: ReactNode
}

export function FilterPanel({ texts, search, onSearch, set, onClear, aside, children }: FilterPanelProps) {
  const isPhone = usePhone()
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <Group gap="sm" align="flex-end" role="search">
      <TextInput
        type="search"
        label={texts.search}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={search}
        maxLength={200}
        onChange={(event) => onSearch(event.currentTarget.value)}
        style={{ flex: '2 1 14rem' }}
      />
      {isPhone ? (
        <>
          <Button variant="default" leftSection={<IconFilter size={16} aria-hidden />} onClick={open}>
            {set === 0 ? parts.filters.title : say(parts.filters.set, { n: set })}
          </Button>
          <Drawer opened={isOpen} onClose={close} position="bottom" size="auto" title={parts.filters.title}>
            <Stack pb="md">
              {children}
              <Group grow>
                <Button variant="default" disabled={set === 0} onClick={onClear}>
                  {texts.clear}
                </Button>
                <Button onClick={close}>{texts.done}</Button>
              </Group>
            </Stack>
          </Drawer>
        </>
      ) : (
        children
      )}
      {aside}
      {!isPhone && set > 0 ? (
        <Button variant="subtle" onClick={onClear}>
          {texts.clear}
        </Button>
      ) : null}
    </Group>
  )
}

/** The style of a field in the panel. */
export const FIELD = { flex: '1 1 8rem', maxWidth: '100%' } as const
