export function cpuTime(pid: number | undefined): number;
