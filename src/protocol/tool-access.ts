/** What a tool does to the world. */
export const TOOL_ACCESS = ['read', 'write', 'network', 'execute'] as const
export type ToolAccess = (typeof TOOL_ACCESS)[number]
