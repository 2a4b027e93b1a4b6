/** The names of actions that the loop itself treats apart. */
export const REQUIRE_TOOL = 'require_tool'
export const WAIT = 'wait'
