// Whether the window is as narrow as a phone, known from the first frame.
import { useMediaQuery } from '@mantine/hooks'

const PHONE = '(max-width: 48em)'

export function usePhone(): boolean {
  return useMediaQuery(PHONE, window.matchMedia(PHONE).matches)
}
