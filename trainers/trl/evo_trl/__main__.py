import sys

from evo_trl.main import main

sys.exit(main(sys.argv[1:]))
