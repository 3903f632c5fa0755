"""The nightly workflow as a DAG of Apache Airflow 2 or 3: one task, as the steps are Weft's.

A task that Airflow tries again starts the workflow for the same day: steps that are done are kept.
Bad input (status 2) and an input that changed (status 4) are not tried again.
The timetable makes ds the day before, as in the crontab. Airflow 3 takes a bare cron text otherwise.
"""

import subprocess
from datetime import datetime, timedelta

from airflow.decorators import dag, task
from airflow.exceptions import AirflowException, AirflowFailException
from airflow.timetables.interval import CronDataIntervalTimetable

WEFT = "/opt/weft/jobs/bin/weft"
FILE = "/opt/weft/conf/nightly.yaml"
FINAL = (2, 4)


@dag(
    dag_id="weft_nightly",
    schedule=CronDataIntervalTimetable("30 2 * * *", timezone="UTC"),
    start_date=datetime(2026, 11, 20),
    catchup=True,
    max_active_runs=1,  # one run at a time has the state
    default_args={"retries": 3, "retry_delay": timedelta(minutes=10)},
)
def weft_nightly():
    @task
    def nightly(ds=None):
        command = [WEFT, "workflow", "run", FILE, "--state", "/data/nightly.state", "--set", f"date={ds}"]
        status = subprocess.run(command, cwd="/data").returncode
        if status in FINAL:
            raise AirflowFailException(f"weft workflow ended with status {status}")
        if status != 0:
            raise AirflowException(f"weft workflow ended with status {status}")

    nightly()


weft_nightly()
