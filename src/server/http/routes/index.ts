/** The HTTP API. */
import type { Route } from '../route.ts'
import { ABOUT_ROUTES } from './about.ts'
import { LOOK_ROUTES } from './look.ts'
import { START_ROUTES } from './start.ts'
import { STEER_ROUTES } from './steer.ts'

export const ROUTES: readonly Route[] = [...START_ROUTES, ...LOOK_ROUTES, ...STEER_ROUTES, ...ABOUT_ROUTES]
