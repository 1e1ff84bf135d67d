// The files of a Slurm cluster that is there for an hour: its nodes are namespaces of this machine, its GPUs are empty
// files.
import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

export interface ClusterPlan {
  readonly folder: string;
  readonly controller: string;
  readonly nodes: readonly { readonly name: string; readonly address: string }[];
  /** On the last node alone. */
  readonly gpus: number;
}

const CPUS = 8;
const MEMORY_MB = 16_000;

/** Partitions: `main` (all nodes, pre-empted by `urgent`), `cpu` (no GPU, at most an hour), `gpu`. */
export function writeSlurmConfig({ folder, controller, nodes, gpus }: ClusterPlan): string {
  const names = nodes.map(({ name }) => name);
  const withGpus = names.slice(-1);
  const without = names.length > 1 ? names.slice(0, -1) : names;
  const gpuFiles = Array.from({ length: gpus }, (_, index) => join(folder, `gpu${index}`));
  for (const file of gpuFiles) writeFileSync(file, '');
  const lines = [
    'ClusterName=evo',
    `SlurmctldHost=${hostname().split('.')[0]}(${controller})`,
    'SlurmUser=root',
    'SlurmdUser=root',
    'AuthType=auth/munge',
    'CredType=cred/munge',
    `AuthInfo=socket=${join(folder, 'munge/socket')}`,
    'SlurmctldPort=6817',
    'SlurmdPort=6818',
    `StateSaveLocation=${join(folder, 'state')}`,
    `SlurmdSpoolDir=${join(folder, 'spool-%n')}`,
    `SlurmctldPidFile=${join(folder, 'slurmctld.pid')}`,
    `SlurmdPidFile=${join(folder, 'slurmd-%n.pid')}`,
    'MailProg=/bin/true',
    // No cgroups: they are the machine's, and a container may have none.
    'ProctrackType=proctrack/linuxproc',
    'TaskPlugin=task/none',
    'JobAcctGatherType=jobacct_gather/none',
    'AccountingStorageType=accounting_storage/none',
    'SwitchType=switch/none',
    'MpiDefault=none',
    'SelectType=select/cons_tres',
    'SelectTypeParameters=CR_CPU_Memory',
    'SlurmdParameters=config_overrides',
    'SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0',
    'ReturnToService=2',
    'KillWait=10',
    'PreemptType=preempt/partition_prio',
    'PreemptMode=REQUEUE',
    'GresTypes=gpu',
    ...nodes.map(({ name, address }) => {
      const gres = gpus > 0 && withGpus.includes(name) ? ` Gres=gpu:${gpus}` : '';
      return `NodeName=${name} NodeAddr=${address} CPUs=${CPUS} RealMemory=${MEMORY_MB}${gres}`;
    }),
    `PartitionName=main Nodes=${names.join(',')} Default=YES PriorityTier=1 GraceTime=20 DefMemPerCPU=100`,
    `PartitionName=cpu Nodes=${without.join(',')} PriorityTier=1 MaxTime=01:00:00 DefMemPerCPU=100`,
    `PartitionName=gpu Nodes=${withGpus.join(',')} PriorityTier=1 DefMemPerCPU=100`,
    `PartitionName=urgent Nodes=${names.join(',')} PriorityTier=10 PreemptMode=OFF DefMemPerCPU=100`,
  ];
  const gres = withGpus.map((name) =>
    gpus === 0 ? '' : `NodeName=${name} Name=gpu File=${join(folder, `gpu[0-${gpus - 1}]`)}`,
  );
  const config = join(folder, 'slurm.conf');
  writeFileSync(config, `${lines.join('\n')}\n`);
  writeFileSync(join(folder, 'gres.conf'), `${gres.join('\n')}\n`);
  writeFileSync(join(folder, 'cgroup.conf'), 'CgroupPlugin=cgroup/v1\n');
  return config;
}
